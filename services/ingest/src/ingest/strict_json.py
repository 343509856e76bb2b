"""JSON request bodies, read strictly: one object, UTF-8, no NaN, no duplicate keys, bounded depth and size."""

import json
from typing import Any

import orjson

from ingest.problems import MALFORMED, Problem

#: A JSON upload has three short fields; more than this is not one.
MAX_JSON_BYTES = 64 * 1024


def parse_object(body: bytes) -> dict[str, Any]:
    """Read a JSON object (RFC 8259), or raise Problem 400 that says what is wrong.

    orjson refuses NaN and Infinity, text that is not UTF-8, and nesting deeper than 1,024; it lets the last of two
    equal keys win, which is looked for only when the body has more colons than the object has keys.
    """
    try:
        parsed = orjson.loads(body)
    except orjson.JSONDecodeError as error:
        raise Problem(MALFORMED, f"The body is not JSON: {error}. {_EXAMPLE}") from None
    if not isinstance(parsed, dict):
        raise Problem(MALFORMED, f"The body is JSON but not an object: {type(parsed).__name__}. {_EXAMPLE}")
    if body.count(b":") > len(parsed):
        _refuse_duplicate_keys(body)
    return parsed


_EXAMPLE = 'Send an object such as {"assetId": "demo-001", "ownerId": "u-1", "durationSec": 120}.'


def _refuse_duplicate_keys(body: bytes) -> None:
    try:
        json.loads(body, object_pairs_hook=_unique)
    except RecursionError:
        raise Problem(MALFORMED, "The body is nested too deeply.") from None


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise Problem(MALFORMED, f"The key {twice[:64]!r} is there twice; which one is meant?")
    return members
