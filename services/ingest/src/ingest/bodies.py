"""Reading request bodies: in pieces, within a size, and never waiting for ever."""

import contextlib
import socket
import time
from collections.abc import Iterator, Mapping
from typing import Any, cast

from gunicorn.http.body import LengthReader
from gunicorn.http.errors import ParseException

from ingest.problems import BROKEN_OFF, MALFORMED, STALLED, TOO_LARGE, Problem

#: gunicorn copies what it has read ahead on every smaller read, so a body is taken in pieces as large as its own.
PIECE_BYTES = 1024 * 1024

#: A refused body up to this size is read to its end, so that the client sees the answer and not a reset connection.
_DISCARD_BYTES = 4 * 1024 * 1024
_DISCARD_S = 1.0


class RequestBody:
    """The body of one request; every way it can fail is a Problem.

    ``declared`` is its Content-Length in bytes, None when it comes in chunks.
    """

    def __init__(self, environ: Mapping[str, Any], stall_s: float) -> None:
        self._stream = environ["wsgi.input"]
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
            self.received += len(piece)
            if self.received > limit:
                raise too_large(limit)
            yield piece
        if self.declared is not None and self.received < self.declared:
            raise Problem(
                BROKEN_OFF,
                f"{self.declared} bytes were announced and {self.received} came; nothing was kept. Upload it again.",
            )

    def discard(self) -> None:
        """Read away what is left of a refused body when that is little; gunicorn closes the connection otherwise."""
        if self.declared is not None and self.declared - self.received > _DISCARD_BYTES:
            return
        deadline, most = time.monotonic() + _DISCARD_S, self.received + _DISCARD_BYTES
        with contextlib.suppress(Problem):
            self._stall_s = _DISCARD_S
            while self.received < most and time.monotonic() < deadline and (piece := self._read()):
                self.received += len(piece)

    def _read(self) -> bytes:
        try:
            piece = self._next()
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
        return piece

    def _next(self) -> bytes:
        """Take the next bytes: from the socket where only the length frames the body, which spares gunicorn's copies.

        gunicorn copies a byte about six times on its way through its buffers; for a large upload that is half of the
        work. Its reader is told how much is gone, so that it knows where the next request begins.
        """
        reader = getattr(self._stream, "reader", None)
        if self._socket is None or not isinstance(reader, LengthReader):
            self._limit_wait()
            return cast("bytes", self._stream.read(PIECE_BYTES))
        wanted = min(reader.length, PIECE_BYTES)
        buffered = reader.unreader.take_buffered()
        if buffered:
            piece, rest = cast("bytes", buffered[:wanted]), buffered[wanted:]
            if rest:
                reader.unreader.unread(rest)
        elif wanted:
            self._limit_wait()
            piece = self._socket.recv(wanted)
        else:
            piece = b""
        reader.length -= len(piece)
        return piece

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
