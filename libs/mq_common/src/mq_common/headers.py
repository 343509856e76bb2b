"""Headers of messages that travel more than once."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import pika

#: What the broker writes about deaths and deliveries. From 4.0 on it ignores these from a client, 3.10 continues them.
_BROKER_HEADERS = ("x-death", "x-delivery-count", "x-acquired-count")
_BROKER_PREFIXES = ("x-first-death-", "x-last-death-")
#: Further addresses, which the broker would send copies to: a message that goes back goes to its one queue only.
_ADDRESSES = ("CC", "BCC")


@lru_cache(maxsize=256)
def travels_on(name: str) -> bool:
    """Tell whether a header of this name belongs to a message that is published again."""
    return name not in _BROKER_HEADERS and name not in _ADDRESSES and not name.startswith(_BROKER_PREFIXES)


def without_broker_headers(headers: Mapping[str, Any] | None) -> dict[str, Any]:
    """Give the headers as their publisher wrote them, for a message that is published again."""
    return {name: value for name, value in (headers or {}).items() if travels_on(name)}


def published_again(properties: pika.BasicProperties, headers: Mapping[str, Any]) -> pika.BasicProperties:
    """Give the properties of a message that is published again under ``headers``; changes and gives the same object.

    The broker closes the channel over a ``user_id`` that is not the publisher's own.
    """
    properties.headers = dict(headers) or None
    properties.user_id = None
    return properties
