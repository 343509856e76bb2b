"""``python dying_ingest.py``: an ingest that is killed, master and all, at one exact point of its work with the store.

INGEST_DIES says where: ``before`` or ``after``, the store's method, and a regular expression for the key.
"""

import functools
import os
import re
import signal
import sys
from typing import Any

from ingest.__main__ import main
from media_common.local_store import LocalMediaStore


def _die() -> None:
    for pid in (os.getppid(), os.getpid()):
        os.kill(pid, signal.SIGKILL)


def _arrange_death(moment: str, method: str, pattern: str) -> None:
    original = getattr(LocalMediaStore, method)

    @functools.wraps(original)
    def deadly(self: LocalMediaStore, keys: Any, *arguments: Any, **options: Any) -> Any:
        keys = list(keys) if method == "delete_all" else keys
        due = any(re.search(pattern, key) for key in ([keys] if isinstance(keys, str) else keys))
        if due and moment == "before":
            _die()
        result = original(self, keys, *arguments, **options)
        if due:
            _die()
        return result

    setattr(LocalMediaStore, method, deadly)


if __name__ == "__main__":
    _arrange_death(*os.environ["INGEST_DIES"].split(" "))
    sys.exit(main())
