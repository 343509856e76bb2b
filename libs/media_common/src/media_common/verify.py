"""Checks that an output is whole: an exit without error does not mean that it is."""

from collections.abc import Mapping

from media_common.errors import BadMedia

#: An output may miss this many seconds, or this share of the length, whichever is more: lengths are
#: rounded to frames, to audio packets and by containers that guess.
SECONDS_MISSING = 1.0
SHARE_MISSING = 0.02


def check_length(actual_s: float, expected_s: float, what: str = "the output") -> None:
    """Raise BadMedia when an output is shorter than its input; both in seconds. Pure.

    A converter that ran to its end and wrote less met an input that ends early or is broken inside.
    """
    if actual_s < expected_s - max(SECONDS_MISSING, SHARE_MISSING * expected_s):
        raise BadMedia(f"{what} has {actual_s:.1f} s of {expected_s:.1f} s: the source is cut off or damaged")


def check_lengths(actual_s: Mapping[str, float], expected_s: float) -> None:
    """Check several outputs, by their names; see `check_length`."""
    for name, seconds in actual_s.items():
        check_length(seconds, expected_s, name)
