"""Runs a channel's real worker, and writes down at the edge of its store what it commits.

`python -m mediaflow_chaos.observed FILE CONTROL thumbnail` is `python -m thumbnail` on a store that CONTROL may slow
down (``slow_store``), with a line in FILE for each delivery that began, and two for each commit: before the store is
asked to make result.json, and when it has said how that went. The lines do not rely on what the store's put-if-absent
promises: a store that makes the same result twice shows here.
"""

import json
import os
import re
import runpy
import sys
from pathlib import Path
from typing import Any, Protocol

from media_common.job import ChannelJob
from media_common.local_store import LocalMediaStore
from media_common.s3_store import S3MediaStore
from mediaflow_chaos.append_log import AppendLog
from mediaflow_chaos.slow_store import slow_down

_RESULT = re.compile(r"assets/(?P<asset>[^/]+)/(?P<channel>[^/]+)/result\.json")


class Log(Protocol):
    """Where the lines go."""

    def add(self, **fields: Any) -> None:
        """Add one line."""


def observe(log: Log) -> None:
    """Write down deliveries, commits, and results that are removed."""
    run = ChannelJob.run

    def observed_run(self: ChannelJob, event: Any, context: Any) -> bool:
        if context.attempt == 1:
            log.add(
                what="delivered",
                channel=context.channel,
                asset=event.asset_id,
                event=event.event_id,
                pid=os.getpid(),
            )
        return run(self, event, context)

    ChannelJob.run = observed_run  # type: ignore[method-assign]
    for store in (LocalMediaStore, S3MediaStore):
        _observe_store(store, log)


def _observe_store(store: Any, log: Log) -> None:
    put, delete = store.put_bytes, store.delete

    def observed_put(self: Any, key: str, data: bytes, **options: Any) -> bool:
        found = _RESULT.fullmatch(key)
        if found is None:
            return bool(put(self, key, data, **options))
        line = found.groupdict() | {"event": json.loads(data).get("eventId"), "pid": os.getpid()}
        log.add(what="committing", **line)
        made = bool(put(self, key, data, **options))
        log.add(what="committed" if made else "was committed", **line)
        return made

    def observed_delete(self: Any, key: str) -> None:
        if found := _RESULT.fullmatch(key):
            log.add(what="removed", **found.groupdict(), pid=os.getpid())
        delete(self, key)

    store.put_bytes, store.delete = observed_put, observed_delete


if __name__ == "__main__":
    slow_down(Path(sys.argv[2]))
    observe(AppendLog(Path(sys.argv[1])))
    module = sys.argv[3]
    sys.argv = [module]
    runpy.run_module(module, run_name="__main__", alter_sys=True)
