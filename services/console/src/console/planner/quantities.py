"""Rates, durations and shares as people write them. Pure."""

import re

_SHARE = re.compile(r"(\d+(?:\.\d+)?)\s*(%)?\Z")


def parse_share(text: str) -> float:
    """Read ``10%`` or ``0.1`` as a share of 1. Raises ValueError.

    >>> parse_share("10%")
    0.1
    """
    found = _SHARE.match(text.strip())
    share = float(found[1]) / (100 if found[2] else 1) if found else 2.0
    if share > 1:
        raise ValueError(f"{text!r} is no share: write it like 10% or 0.1")
    return share


def say_duration(seconds: float) -> str:
    """Say a duration in its two largest units.

    >>> say_duration(103), say_duration(0.42), say_duration(7.25), say_duration(3600)
    ('1 min 43 s', '0.42 s', '7.2 s', '1 h')
    """
    if seconds < 10:
        return f"{seconds:.2g} s" if seconds < 1 else f"{seconds:.1f} s"
    rest = round(seconds)
    parts = []
    for size, unit in ((86400, "d"), (3600, "h"), (60, "min"), (1, "s")):
        count, rest = divmod(rest, size)
        parts.append((count, unit))
    first = next(index for index, (count, _) in enumerate(parts) if count)
    return " ".join(f"{count} {unit}" for count, unit in parts[first : first + 2] if count)


def say_rate(per_s: float) -> str:
    """Say a rate in the unit that suits it.

    >>> say_rate(3), say_rate(0.05), say_rate(0)
    ('3/s', '3/min', '0/s')
    """
    if per_s and per_s < 0.1:
        return f"{per_s * 60:.3g}/min"
    return f"{per_s:.3g}/s"
