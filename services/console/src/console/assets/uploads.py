"""Uploads from the page, passed on to ingest as they come: nothing is buffered, and ingest's answer is the answer."""

import time
from collections.abc import Iterator
from typing import BinaryIO

import structlog
from flask import Response, request
from flask_babel import gettext as _
from flask_babel import lazy_gettext as _l
from urllib3.exceptions import HTTPError

from console.assets.addresses import asset_page
from console.assets.ingest_client import IngestClient
from console.assets.ingest_errors import IngestError, IngestUnavailable
from console.assets.ingest_problems import problem_of_ingest
from console.problems import Kind, Problem

log = structlog.get_logger()

#: Bytes in one piece of a passed upload.
PIECE = 256 * 1024

#: Seconds for which a browser may send nothing.
STALL_S = 30.0

#: Seconds in which ingest must answer once it has the whole file: it may have to bring it safely to a far store.
ANSWER_S = 300.0

#: Seconds for which what is left of a refused upload is taken: a browser reads no answer before it has sent all of it.
DISCARD_S = 20.0

_MOST_ANSWER_BYTES = 64 * 1024

NO_LENGTH = Kind("length-required", 411, _l("The upload must say how long it is"))
NOT_RAW = Kind("not-media", 415, _l("The upload must be the file itself"))
BROKEN_OFF = Kind("upload-broken-off", 400, _l("The upload ended too early"))

#: Headers of the upload that mean something to ingest.
_FORWARDED = ("Content-Type", "Content-Length", "Idempotency-Key", "traceparent")

_ANSWERED = ("Content-Type", "Retry-After")


class _ClientGone(Exception):
    """The browser stopped sending."""


def pass_upload(ingest: IngestClient) -> Response:
    """Pass the request's body on; gives ingest's answer, with the page of the asset as its Location. Raises Problem."""
    length = _length()
    headers = {name: request.headers[name] for name in _FORWARDED if name in request.headers}
    connection = request.environ.get("gunicorn.socket")
    if connection is not None:
        connection.settimeout(STALL_S)
    body = _Body(request.stream, length)  # type: ignore[arg-type]
    query = request.query_string.decode("latin-1")
    try:
        answer = ingest.open("POST", f"/media/upload?{query}", headers=headers, body=iter(body), read_s=ANSWER_S)
        with answer:
            data = answer.read(_MOST_ANSWER_BYTES)
    except _ClientGone:
        log.info("upload_broken_off", received=body.taken, size=length)
        raise Problem(
            BROKEN_OFF, _("%(taken)s of %(length)s bytes came. Nothing was stored.", taken=body.taken, length=length)
        ) from None
    except IngestError as error:
        body.discard()
        raise problem_of_ingest(error) from error
    except HTTPError as error:
        body.discard()
        raise problem_of_ingest(IngestUnavailable("Ingest broke its answer off.")) from error
    body.discard()
    passed = {name: answer.headers[name] for name in _ANSWERED if name in answer.headers}
    location = answer.headers.get("Location", "")
    if location:
        passed["Location"] = asset_page(location.rpartition("/")[2])
    return Response(data, answer.status, passed | {"Cache-Control": "no-store"})


def _length() -> int:
    """Give the size of the file. Raises Problem for a body that is not a file as it is."""
    kind = request.mimetype
    if kind.startswith("multipart/") or kind.endswith(("json", "x-www-form-urlencoded")):
        raise Problem(NOT_RAW, _("Send the file as the raw body, under its own content type."))
    if request.content_length is None:
        raise Problem(NO_LENGTH, _("Send the header Content-Length."))
    return request.content_length


class _Body:
    """What the browser sends, piece by piece."""

    def __init__(self, stream: BinaryIO, length: int) -> None:
        self._stream, self._left = stream, length
        self.taken = 0

    def __iter__(self) -> Iterator[bytes]:
        while self._left:
            yield self._piece()

    def discard(self) -> None:
        """Take what is still on its way, for a while."""
        until = time.monotonic() + DISCARD_S
        try:
            while self._left and time.monotonic() < until:
                self._piece()
        except _ClientGone:
            self._left = 0

    def _piece(self) -> bytes:
        try:
            piece = self._stream.read(min(PIECE, self._left))
        except (OSError, EOFError) as error:
            raise _ClientGone from error
        if not piece:
            raise _ClientGone
        self._left -= len(piece)
        self.taken += len(piece)
        return piece
