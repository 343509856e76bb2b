"""Requests as bytes: which of them are small JSON uploads of the plainest kind, without parsing each head anew.

A client that keeps its connection sends the same head again and again. Each different head is read once, by gunicorn's
own parser; after that the same bytes mean the same. Whatever is not known to be plain is nobody's business here: it
goes the usual way.
"""

from dataclasses import dataclass
from typing import Any

from gunicorn.http.errors import ParseException
from gunicorn.http.parser import RequestParser

from ingest.content_types import BodyForm, bare_type, body_form
from ingest.problems import Problem

#: What a plain upload begins with: a query, for one, makes it another line.
START = b"POST /media/upload HTTP/1.1\r\n"

#: Longer heads go the usual way, and so do longer bodies.
MOST_HEAD_BYTES, MOST_BODY_BYTES = 1024, 4096

#: Heads that are remembered, about a kilobyte each at most.
_MOST_REMEMBERED = 512

_HEAD_END = b"\r\n\r\n"

#: Headers that change nothing in how a JSON upload is taken, and those that are looked at.
_PLAIN_HEADERS = frozenset(
    {
        "ACCEPT",
        "ACCEPT-ENCODING",
        "ACCEPT-LANGUAGE",
        "CONNECTION",
        "CONTENT-LENGTH",
        "CONTENT-TYPE",
        "HOST",
        "TRACEPARENT",
        "TRACESTATE",
        "USER-AGENT",
        "X-REQUEST-ID",
    }
)


#: Whose head it is, for the parser; only headers that are not plain would make a difference of it.
_NOBODY = ("0.0.0.0", 0)  # noqa: S104 - nobody listens here


@dataclass(frozen=True, slots=True)
class PlainUpload:
    """One JSON upload: its body, and the ``traceparent`` it came with."""

    body: bytes
    traceparent: str | None


@dataclass(frozen=True, slots=True)
class _Head:
    length: int
    traceparent: str | None


class RepeatedHeads:
    """Recognises plain uploads in what a socket gave. Used by one thread."""

    def __init__(self, config: Any) -> None:
        self._config = config
        self._known: dict[bytes, _Head | None] = {}

    def read(self, data: bytes) -> PlainUpload | None:
        """Give the upload when the bytes are exactly one, whole; None for everything else."""
        end = data.find(_HEAD_END, 0, MOST_HEAD_BYTES)
        if end < 0:
            return None
        head = data[:end]
        known = self._known.get(head, _UNKNOWN)
        if known is _UNKNOWN:
            known = self._look(head)
        body = data[end + len(_HEAD_END) :]
        if known is None or len(body) != known.length:
            return None
        return PlainUpload(body, known.traceparent)

    def _look(self, head: bytes) -> _Head | None:
        found = _parsed(self._config, head)
        if found is None or found.traceparent is None:  # a trace of its own makes a head that never comes again
            if len(self._known) >= _MOST_REMEMBERED:
                self._known.clear()
            self._known[head] = found
        return found


_UNKNOWN = _Head(-1, None)


def _parsed(config: Any, head: bytes) -> _Head | None:
    """Have gunicorn read the head; None unless it is one of a plain upload."""
    try:
        parser: Any = RequestParser(config, iter((head + _HEAD_END,)), _NOBODY)  # type: ignore[no-untyped-call]
        request = next(parser)
    except (ParseException, StopIteration):
        return None
    headers = dict(request.headers)
    if len(headers) < len(request.headers) or not headers.keys() <= _PLAIN_HEADERS or request.should_close():
        return None
    try:
        if body_form(bare_type(headers.get("CONTENT-TYPE"))) is not BodyForm.JSON:
            return None
    except Problem:
        return None
    length = headers.get("CONTENT-LENGTH", "")
    if not (length.isascii() and length.isdigit()) or not 0 < int(length) <= MOST_BODY_BYTES:
        return None
    return _Head(int(length), headers.get("TRACEPARENT"))
