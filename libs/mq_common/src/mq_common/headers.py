"""Headers of messages that travel more than once."""

from collections.abc import Mapping
from typing import Any

#: What the broker writes about deaths and deliveries. From 4.0 on it ignores these from a client, 3.10 continues them.
_BROKER_HEADERS = ("x-death", "x-delivery-count", "x-acquired-count")
_BROKER_PREFIXES = ("x-first-death-", "x-last-death-")


def without_broker_headers(headers: Mapping[str, Any] | None) -> dict[str, Any]:
    """Give the headers as their publisher wrote them, for a message that is published again."""
    return {
        name: value
        for name, value in (headers or {}).items()
        if name not in _BROKER_HEADERS and not name.startswith(_BROKER_PREFIXES)
    }
