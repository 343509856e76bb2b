"""Runs Python code in a process of its own, for tests that kill it, bound it or measure it."""

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

#: Says by how many MiB it grew while it uploaded as many as its second argument says.
UPLOAD_MUCH = """
import resource, sys
from media_common.settings import StoreSettings
from media_common.store import open_store
store = open_store(StoreSettings(store_url=sys.argv[1]))
chunk = b"x" * 1_048_576
def upload(mebibytes):
    with store.writer("assets/a1/source", "video/mp4") as writer:
        for _ in range(mebibytes):
            writer.write(chunk)
        writer.commit()
upload(1)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
upload(int(sys.argv[2]))
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024)
"""


def start(code: str, *arguments: str | Path) -> "subprocess.Popen[str]":
    """Start the code; it ends the test's wait by printing a line."""
    return subprocess.Popen(
        [sys.executable, "-c", code, *map(str, arguments)], stdout=subprocess.PIPE, text=True, env=dict(os.environ)
    )


def said(process: "subprocess.Popen[str]") -> str:
    """Give the next line it prints."""
    assert process.stdout is not None
    return process.stdout.readline().strip()


def run(code: str, *arguments: str | Path) -> str:
    """Run the code to its end and give what it printed."""
    done = subprocess.run(
        [sys.executable, "-c", code, *map(str, arguments)],
        stdout=subprocess.PIPE,
        text=True,
        check=True,
        timeout=120,
        env=dict(os.environ),
    )
    return done.stdout.strip()


def is_running(pid: int) -> bool:
    """Tell whether a process is there and no zombie."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False
    return stat.rsplit(")", 1)[1].split()[0] not in ("Z", "X")


def wait_until(condition: Callable[[], bool], limit_s: float = 20) -> None:
    """Wait for a condition, and fail when it does not come true."""
    deadline = time.monotonic() + limit_s
    while not condition():
        assert time.monotonic() < deadline, "the condition did not come true in time"
        time.sleep(0.01)
