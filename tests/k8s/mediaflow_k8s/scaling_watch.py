"""Sees every change of a Deployment's numbers, as it comes, with the queue beside it."""

import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from mediaflow_k8s.installation import Installation
from mediaflow_k8s.kubectl import CommandFailed
from mediaflow_k8s.timeline import Moment, moment_of

_FIELDS = r"jsonpath={.spec.replicas},{.status.replicas},{.status.readyReplicas}{'\n'}"


class ScalingWatch:
    """What was seen so far."""

    def __init__(self, installation: Installation, channel: str) -> None:
        self._installation, self._channel = installation, channel
        self._began = time.monotonic()
        self._messages: int | None = None
        self._lock = threading.Lock()
        self._moments: list[Moment] = []

    def read(self, watch: subprocess.Popen[str]) -> None:
        """Take what kubectl tells, until it ends."""
        assert watch.stdout is not None
        for line in watch.stdout:
            moment = moment_of(line, time.monotonic() - self._began, self._messages)
            if moment is not None:
                with self._lock:
                    self._moments.append(moment)

    def look(self) -> Moment:
        """Look at the queue; gives the newest numbers with it."""
        with suppress(CommandFailed):
            self._messages = self._installation.depths()[self._channel]
        with self._lock:
            last = self._moments[-1] if self._moments else Moment(0.0, 0, 0, 0)
            now = Moment(time.monotonic() - self._began, last.wanted, last.running, last.ready, self._messages)
            if self._moments:
                self._moments.append(now)
            return now

    @property
    def moments(self) -> list[Moment]:
        """All of it, in order."""
        with self._lock:
            return list(self._moments)


@contextmanager
def scaling_watched(installation: Installation, channel: str) -> Iterator[ScalingWatch]:
    """Watch a channel's workers while the block lasts."""
    watch = ScalingWatch(installation, channel)
    name = installation.workers(channel)["metadata"]["name"]
    command = [*installation.kubectl.command, "get", "deployment", name, "--watch", "-o", _FIELDS]
    process = subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    reader = threading.Thread(target=watch.read, args=(process,), daemon=True)
    reader.start()
    try:
        yield watch
    finally:
        process.terminate()
        process.wait(10)
        reader.join(10)
