"""Waiting for something to come true, and no longer than it may take."""

import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")

_POLL_S = 0.1


class TookTooLong(Exception):
    """What a scenario waited for did not come; the message says what."""


def until(condition: Callable[[], T], within_s: float, what: str) -> T:
    """Give the condition's first true value. Raises TookTooLong that names `what` after `within_s` seconds."""
    deadline = time.monotonic() + within_s
    while not (value := condition()):
        if time.monotonic() > deadline:
            raise TookTooLong(f"{what} did not come within {within_s:.0f} s")
        time.sleep(_POLL_S)
    return value
