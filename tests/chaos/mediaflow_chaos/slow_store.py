"""The media store on a disk that hardly answers, as far as that can be done on any file system and as any user.

`python -m mediaflow_chaos.slow_store CONTROL ingest` is `python -m ingest` whose every access to the store takes as
many seconds longer as the file CONTROL says, while there is such a file. The delay is in the thread that asks, before
the access: what blocks on a slow disk blocks here. What other programs do in the store's folder (ffmpeg) is not slower.
"""

import runpy
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from media_common.local_store import LocalMediaStore, _LocalWriter

#: Each of them goes to the disk; the store's other methods are made of these.
_ACCESSES = (
    *("check", "create_record", "delete", "delete_all", "delete_prefix", "exists", "get_bytes", "head", "list_folder"),
    *("list_keys", "list_objects", "local_path", "put_bytes", "put_file", "read_record", "writer"),
)
_WRITER_ACCESSES = ("commit", "read_back", "write", "write_from")


def slow_down(control: Path) -> None:
    """Let every access to the store wait while ``control`` says so."""
    for owner, names in ((LocalMediaStore, _ACCESSES), (_LocalWriter, _WRITER_ACCESSES)):
        for name in names:
            setattr(owner, name, _delayed(getattr(owner, name), control))


def _delayed(access: Callable[..., Any], control: Path) -> Callable[..., Any]:
    path = str(control)

    def delayed(*arguments: Any, **options: Any) -> Any:
        with suppress(OSError, ValueError), open(path) as file:  # noqa: PTH123 - it is opened for each access
            time.sleep(float(file.read()))
        return access(*arguments, **options)

    return delayed


if __name__ == "__main__":
    slow_down(Path(sys.argv[1]))
    module = sys.argv[2]
    sys.argv = [module]
    runpy.run_module(module, run_name="__main__", alter_sys=True)
