"""Rates and ages as people write and read them. Pure."""

from mq_common import quantities


def parse_rate(text: str) -> float:
    """Read ``50/s``, ``600/m`` or ``50`` (a second) as messages per second, more than none. Raises ValueError.

    >>> parse_rate("600/m")
    10.0
    """
    rate = quantities.parse_rate(text)
    if rate == 0:
        raise ValueError(f"{text!r} is no rate: write it like 50/s or 600/m")
    return rate


def say_age(seconds: float | None) -> str:
    """Say an age briefly, in its two largest units; a dash when it is not known.

    >>> say_age(5405)
    '1 h 30 min'
    """
    if seconds is None:
        return "-"
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    days, hours = divmod(hours, 24)
    parts = [(days, "d"), (hours, "h"), (minutes, "min"), (rest, "s")]
    first = next((number for number, (count, _) in enumerate(parts) if count), len(parts) - 1)
    return " ".join(f"{count} {unit}" for count, unit in parts[first : first + 2] if count) or "0 s"
