"""Durations and rates as people write them on a command line. Pure."""

import re

_SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0, "d": 86400.0}
_PART = re.compile(r"(\d+(?:\.\d+)?)(ms|min|s|m|h|d)")
_DURATION = re.compile(rf"(?:{_PART.pattern})+\Z")
_RATE = re.compile(r"(\d+(?:\.\d+)?)(?:/(ms|min|s|m|h|d))?\Z")


def parse_duration(text: str) -> float:
    """Read ``90s``, ``500ms``, ``15m``, ``1h30m`` or ``2d`` as seconds. Raises ValueError.

    >>> parse_duration("1h30m")
    5400.0
    """
    if not _DURATION.match(text):
        raise ValueError(f"{text!r} is no duration: write it like 90s, 500ms, 15m, 1h30m or 2d")
    return sum(float(number) * _SECONDS[unit] for number, unit in _PART.findall(text))


def parse_rate(text: str) -> float:
    """Read ``50/s``, ``600/m`` or ``50`` (a second) as messages per second. Raises ValueError.

    >>> parse_rate("600/m")
    10.0
    """
    found = _RATE.match(text)
    if not found:
        raise ValueError(f"{text!r} is no rate: write it like 50/s or 600/m")
    return float(found[1]) / _SECONDS[found[2] or "s"]
