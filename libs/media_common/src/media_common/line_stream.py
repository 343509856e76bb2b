"""Cuts a stream of bytes into lines, in bounded memory. Pure."""

from collections import deque
from collections.abc import Callable

#: A longer line is cut; a child cannot fill our memory with one line.
LINE_LIMIT = 4096


class LineStream:
    """Gives each line (ended by LF or CR) to `emit`, decoded, without its end; empty lines are left out."""

    def __init__(self, emit: Callable[[str], None], limit: int = LINE_LIMIT) -> None:
        self._emit, self._limit = emit, limit
        self._rest = b""

    def feed(self, data: bytes) -> None:
        """Take the next bytes of the stream."""
        *lines, rest = (self._rest + data).replace(b"\r", b"\n").split(b"\n")
        self._rest = rest[: self._limit]
        for line in lines:
            self._give(line)

    def close(self) -> None:
        """Give out what stands after the last line end."""
        self._give(self._rest)
        self._rest = b""

    def _give(self, line: bytes) -> None:
        text = line[: self._limit].decode("utf-8", "replace").strip()
        if text:
            self._emit(text)


class Tail:
    """Keeps the last lines of a stream."""

    def __init__(self, lines: int = 20) -> None:
        self._lines: deque[str] = deque(maxlen=lines)

    def append(self, line: str) -> None:
        """Keep a line, dropping the oldest."""
        self._lines.append(line)

    def text(self) -> str:
        """Give the kept lines, one below the other."""
        return "\n".join(self._lines)
