"""Durations and rates as people write them. Pure."""

import re

_SECONDS = {"s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
_DURATION = re.compile(r"(?:\d+(?:\.\d+)?[smhd])+\Z")
_PART = re.compile(r"(\d+(?:\.\d+)?)([smhd])")
_RATE = re.compile(r"(\d+(?:\.\d+)?)(?:/([smhd]))?\Z")


def parse_duration(text: str) -> float:
    """Read ``90s``, ``15m``, ``1h30m`` or ``2d`` as seconds. Raises ValueError.

    >>> parse_duration("1h30m")
    5400.0
    """
    if not _DURATION.match(text):
        raise ValueError(f"{text!r} is no duration: write it like 90s, 15m, 1h30m or 2d")
    return sum(float(number) * _SECONDS[unit] for number, unit in _PART.findall(text))


def parse_rate(text: str) -> float:
    """Read ``50/s``, ``600/m`` or ``50`` (a second) as messages per second. Raises ValueError.

    >>> parse_rate("600/m")
    10.0
    """
    found = _RATE.match(text)
    if not found or float(found[1]) == 0:
        raise ValueError(f"{text!r} is no rate: write it like 50/s or 600/m")
    return float(found[1]) / _SECONDS[found[2] or "s"]


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
