"""Reading request bodies: in pieces, within a size, and never waiting for ever."""

import contextlib
import os
import socket
import time
from collections.abc import Iterator, Mapping
from typing import Any, cast

from gunicorn.http.body import LengthReader
from gunicorn.http.errors import ParseException

from ingest.kernel_pipe import KernelPipe
from ingest.problems import BROKEN_OFF, MALFORMED, STALLED, TOO_LARGE, Problem

#: Few enough to stay in the processor's own cache until they are written: pieces of 1 MiB take half as long again.
PIECE_BYTES = 256 * 1024
#: Less is there before a pipe is.
_WORTH_A_PIPE_BYTES = 256 * 1024

#: A refused body up to this size is read to its end, so that the client sees the answer and not a reset connection.
_DISCARD_BYTES = 4 * 1024 * 1024
_DISCARD_S = 1.0


class RequestBody:
    """The body of one request; every way it can fail is a Problem.

    ``declared`` is its Content-Length in bytes, None when it comes in chunks.
    """

    def __init__(self, environ: Mapping[str, Any], stall_s: float) -> None:
        self._stream = environ["wsgi.input"]
        self._reader = getattr(self._stream, "reader", None)
        self._socket: socket.socket | None = environ.get("gunicorn.socket")
        self._stall_s = stall_s
        length = environ.get("CONTENT_LENGTH")
        chunked = "HTTP_TRANSFER_ENCODING" in environ
        self.declared: int | None = int(length) if length else None if chunked else 0
        self.received = 0

    def refuse_over(self, limit: int) -> None:
        """Raise Problem 413 at once when the declared length is over the limit."""
        if self.declared is not None and self.declared > limit:
            raise too_large(limit)

    def read_all(self, limit: int) -> bytes:
        """Read a small body whole. Raises Problem 413 over ``limit`` bytes."""
        self.refuse_over(limit)
        return b"".join(self.pieces(limit))

    def pieces(self, limit: int) -> Iterator[bytes]:
        """Give the body piece by piece. Raises Problem 413 over the limit, 408 on a stall, 400 when it is cut short."""
        while piece := self._read():
            if self.received > limit:
                raise too_large(limit)
            yield piece
        self._check_whole()

    def discard(self) -> None:
        """Read away what is left of a refused body when that is little; gunicorn closes the connection otherwise."""
        if self.declared is not None and self.declared - self.received > _DISCARD_BYTES:
            return
        deadline, most = time.monotonic() + _DISCARD_S, self.received + _DISCARD_BYTES
        with contextlib.suppress(Problem):
            self._stall_s = _DISCARD_S
            while self.received < most and time.monotonic() < deadline and self._read():
                pass

    @property
    def pours(self) -> bool:
        """Whether the kernel can move what is left, and it is enough for that: a plain socket, framed by length."""
        return type(self._socket) is socket.socket and hasattr(os, "splice") and self._left >= _WORTH_A_PIPE_BYTES

    def take_ahead(self) -> bytes:
        """Take what gunicorn has read of a body that pours, beyond its head."""
        piece = self._ahead(self._left)
        self._count(len(piece))
        return piece

    def pour(self, pipe: KernelPipe) -> int:
        """Move the next bytes into an empty pipe; gives their number, 0 at the end. Raises Problem as `pieces` does."""
        self._limit_wait()
        with self._told():
            size = pipe.fill(cast("socket.socket", self._socket), self._left) if self._left else 0
        self._count(size)
        if not size:
            self._check_whole()
        return size

    def _read(self) -> bytes:
        with self._told():
            if self._socket is None or not isinstance(self._reader, LengthReader):
                self._limit_wait()
                piece = cast("bytes", self._stream.read(PIECE_BYTES))
                self.received += len(piece)
                return piece
            piece = self._next(min(self._left, PIECE_BYTES))
        self._count(len(piece))
        return piece

    def _next(self, wanted: int) -> bytes:
        """Take the next bytes: from the socket where only the length frames the body, which spares gunicorn's copies.

        gunicorn copies a byte about six times on its way through its buffers; for a large upload that is half of the
        work.
        """
        if (piece := self._ahead(wanted)) or not wanted:
            return piece
        self._limit_wait()
        return cast("socket.socket", self._socket).recv(wanted)

    def _ahead(self, wanted: int) -> bytes:
        unreader = cast("LengthReader", self._reader).unreader
        ahead = cast("bytes", unreader.take_buffered())
        if rest := ahead[wanted:]:
            unreader.unread(rest)
        return ahead[:wanted]

    @property
    def _left(self) -> int:
        """Bytes to come, as far as only the length frames the body; 0 otherwise."""
        return cast("int", self._reader.length) if isinstance(self._reader, LengthReader) else 0

    def _count(self, size: int) -> None:
        """Count bytes that went past gunicorn's reader, and tell it: it has to know where the next request begins."""
        self.received += size
        cast("LengthReader", self._reader).length -= size

    def _check_whole(self) -> None:
        if self.declared is not None and self.received < self.declared:
            raise Problem(
                BROKEN_OFF,
                f"{self.declared} bytes were announced and {self.received} came; nothing was kept. Upload it again.",
            )

    @contextlib.contextmanager
    def _told(self) -> Iterator[None]:
        try:
            yield
        except TimeoutError:
            raise Problem(
                STALLED, f"Nothing came for {self._stall_s:g} s; nothing was kept. Upload it again."
            ) from None
        except ParseException as error:
            raise Problem(MALFORMED, f"The chunked body can't be read: {error}. Nothing was kept.") from None
        except OSError:
            raise Problem(
                BROKEN_OFF, "The connection ended in mid-upload; nothing was kept. Upload it again."
            ) from None

    def _limit_wait(self) -> None:
        """Bound the next wait for the client; a small body that came with its head never gets here."""
        if self._socket is not None:
            self._socket.settimeout(self._stall_s)


def too_large(limit: int) -> Problem:
    """Make the Problem 413 of an upload with more than ``limit`` bytes."""
    return Problem(
        TOO_LARGE,
        f"At most {limit} bytes are accepted here. Send a smaller file, or raise MEDIAFLOW_INGEST_MAX_UPLOAD_BYTES.",
        {"limitBytes": limit},
    )
