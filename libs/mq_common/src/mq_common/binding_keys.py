"""Topic binding keys: which of them a routing key reaches."""

from collections.abc import Sequence


def reaches(routing_key: str, binding_key: str) -> bool:
    """Tell whether a topic exchange routes ``routing_key`` to a queue bound with ``binding_key``.

    Words are separated by dots; ``*`` stands for one word, ``#`` for any number of them (AMQP 0-9-1, 3.1.3.3).
    """
    return _matches(routing_key.split("."), binding_key.split("."))


def _matches(words: Sequence[str], pattern: Sequence[str]) -> bool:
    if not pattern:
        return not words
    first, rest = pattern[0], pattern[1:]
    if first == "#":
        return any(_matches(words[start:], rest) for start in range(len(words) + 1))
    return bool(words) and first in ("*", words[0]) and _matches(words[1:], rest)
