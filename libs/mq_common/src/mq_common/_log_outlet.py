"""Where log lines go: each at once, or gathered and written together."""

import threading
from collections import deque
from typing import Any, BinaryIO

#: As the argument of structlog.get_logger: this logger's lines may wait for ``Outlet.write_out``.
GATHERED = "gathered"


class Outlet:
    """Writes lines to a stream, whole and in order. Any thread may write.

    A write is a system call, and gives up the interpreter to another thread; for one line each of thousands of quick
    jobs a second that costs more than the jobs. A stream that takes nothing any more (closed pipe, full disk) stops
    nobody's work.
    """

    def __init__(self) -> None:
        self._stream: BinaryIO | None = None
        self._gathered: deque[bytes] = deque()
        self._lock = threading.Lock()

    def open(self, stream: BinaryIO) -> None:
        """Write to this stream from now on."""
        self._stream = stream

    def __call__(self, *names: Any) -> "_Lines":
        """Give structlog the object behind a logger."""
        return _Lines(self, gathered=GATHERED in names)

    def gather(self, line: bytes) -> None:
        """Keep a line until somebody writes."""
        self._gathered.append(line)

    def write_out(self) -> None:
        """Write what was gathered."""
        if self._gathered:
            self._write(b"")

    def write(self, line: bytes) -> None:
        """Write a line, after those that were gathered before it."""
        self._write(line + b"\n")

    def _write(self, text: bytes) -> None:
        with self._lock:
            if self._gathered:
                lines = [self._gathered.popleft() for _ in range(len(self._gathered))]
                text = b"\n".join(lines) + b"\n" + text
            if self._stream is None:
                return
            try:
                self._stream.write(text)
                self._stream.flush()
            except (OSError, ValueError):  # ValueError: the stream was closed
                pass


class _Lines:
    """What structlog hands its rendered lines to."""

    __slots__ = ("critical", "debug", "error", "info", "msg", "warning")

    def __init__(self, outlet: Outlet, *, gathered: bool) -> None:
        self.debug = self.info = outlet.gather if gathered else outlet.write
        self.msg = self.warning = self.error = self.critical = outlet.write
