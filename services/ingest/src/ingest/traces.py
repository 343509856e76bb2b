"""W3C Trace Context: the request's trace goes on in the event, or a new one begins. Pure but for randomness."""

import random
import re

#: Version 00 of https://www.w3.org/TR/trace-context/: trace id, parent id, flags.
_TRACEPARENT = re.compile(r"[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?")

_NO_TRACE, _NO_PARENT = "0" * 32, "0" * 16


def next_traceparent(incoming: str | None) -> str:
    """Give the ``traceparent`` of this service's own step: the incoming trace with a new parent id, or a new trace."""
    found = _TRACEPARENT.fullmatch(incoming) if incoming else None
    if (
        found is None
        or incoming is None
        or incoming.startswith("ff")
        or found[1] == _NO_TRACE
        or found[2] == _NO_PARENT
    ):
        # Trace ids need to be unlike, not secret; the system's own randomness would cost a call into it.
        return f"00-{random.getrandbits(128) or 1:032x}-{random.getrandbits(64) or 1:016x}-01"
    return f"00-{found[1]}-{random.getrandbits(64) or 1:016x}-{found[3]}"
