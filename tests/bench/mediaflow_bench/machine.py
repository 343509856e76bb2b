"""On what the figures were measured."""

import os
import platform
import re
import subprocess
import time
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path
from typing import Any

import psutil

from media_common.cpus import available_cpus

_PACKAGES = ("pika", "gunicorn", "flask", "celery", "dramatiq")


def describe_machine() -> dict[str, Any]:
    """Give processors, memory and the versions of what is measured."""
    return {
        "processors": available_cpus(),
        "processor": _first(r"model name\s*: (.+)", _text("/proc/cpuinfo")),
        "memory_gib": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30, 1),
        "system": f"{platform.freedesktop_os_release().get('PRETTY_NAME', '')}, Linux {platform.release()}",
        "python": platform.python_version(),
        "ffmpeg": _first(r"ffmpeg version (\S+)", _said("ffmpeg", "-version")),
        "rabbitmq": rabbitmq_version(),
        **{package: version(package) for package in _PACKAGES},
    }


def rabbitmq_version() -> str:
    """Read the version of the installed RabbitMQ off its folder's name."""
    folders = sorted(Path("/usr/lib/rabbitmq/lib").glob("rabbitmq_server-*"))
    return folders[-1].name.removeprefix("rabbitmq_server-") if folders else "not installed as a package"


class Neighbours:
    """Watches how much of the machine's processors others take, from its making on.

    What we start counts as ours while it is our descendant; a fleet that `make up` puts into the background does not.
    """

    def __init__(self) -> None:
        self.load_before = round(os.getloadavg()[0], 2)
        self._began, self._busy, self._ours = time.monotonic(), _busy_s(), _ours_s()

    def share(self) -> float:
        """Give their share of all processors' time so far, 0–1."""
        theirs = _busy_s() - self._busy - (_ours_s() - self._ours)
        available = (time.monotonic() - self._began) * (os.cpu_count() or 1)
        return round(min(1.0, max(0.0, theirs / available)), 3)


def _busy_s() -> float:
    times = psutil.cpu_times()
    return sum(times) - times.idle - times.iowait - times.guest - times.guest_nice


def _ours_s() -> float:
    """Give the processor time of this process, its living descendants, and those that have ended."""
    total = 0.0
    this = psutil.Process()
    for process in (this, *this.children(recursive=True)):
        with suppress(psutil.Error):  # ended just now
            times = process.cpu_times()
            total += times.user + times.system + times.children_user + times.children_system
    return total


def _text(path: str) -> str:
    try:
        return Path(path).read_text()
    except OSError:
        return ""


def _said(*command: str) -> str:
    try:
        return subprocess.run(command, capture_output=True, text=True, check=False).stdout
    except OSError:
        return ""


def _first(pattern: str, text: str) -> str:
    found = re.search(pattern, text)
    return found[1].strip() if found else "unknown"
