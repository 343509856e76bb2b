"""Writes down, at the edge of a worker's store, what it takes and what it commits. Mounted as `sitecustomize.py`.

Python imports a module of that name at its start, so the worker in the pod is the released image, unchanged, with this
beside it. What is seen is told by names of objects below ``observed/`` in the store: it outlives the pod, and the store
has it before the worker goes on.
"""

import os
import re
import socket
from functools import cache
from typing import Any
from uuid import uuid4

PREFIX = "observed/"
_PARTS = re.compile(
    PREFIX + r"(?P<channel>[^/]+)/(?P<asset>[^/]+)/(?P<what>[^/]+)/(?P<event>[^/]+)/(?P<pid>[^/]+)/[^/]+"
)


class StoreLog:
    """Takes the lines of `mediaflow_chaos.observed`."""

    def add(self, **fields: Any) -> None:
        """Write one line down."""
        what = str(fields["what"]).replace(" ", "-")
        words = (fields["channel"], fields["asset"], what, fields.get("event") or "none", socket.gethostname())
        _store().put_bytes(PREFIX + "/".join((*words, uuid4().hex)), b"1")


def line_of(key: str) -> dict[str, str] | None:
    """Read a line back from the name of its object; None for another object."""
    found = _PARTS.fullmatch(key)
    if found is None:
        return None
    line = found.groupdict()
    return line | {"what": line["what"].replace("-", " ")}


@cache
def _store() -> Any:
    from media_common.settings import StoreSettings
    from media_common.store import open_store

    return open_store(StoreSettings())


if os.environ.get("MEDIAFLOW_STORE_URL") and __name__ == "sitecustomize":
    from mediaflow_chaos.observed import observe

    observe(StoreLog())
