"""Files of assets, passed through from ingest: the same origin as the pages, whatever store is behind."""

from collections.abc import Iterator

from flask import Response, request
from urllib3 import BaseHTTPResponse
from urllib3.exceptions import HTTPError

from console.assets.ingest_client import IngestClient, refusal_of
from console.assets.ingest_errors import AnswerNotUnderstood, IngestError, IngestUnavailable
from console.assets.ingest_problems import problem_of_ingest
from console.assets.safe_headers import ASKED, safe_headers

#: Bytes in one piece of a passed file.
PIECE = 256 * 1024

#: Seconds in which a client must take the next bytes of an answer, and in which ingest must bring them.
STALL_S = 60.0

_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_PASSED = frozenset({200, 206, 304, 416})
_NO_BYTES = frozenset({304, 416})
_BAD_RANGE = 416
_MOST_PROBLEM_BYTES = 64 * 1024


def pass_file(ingest: IngestClient, path: str, *, file_name: str, to_save: bool = False) -> Response:
    """Answer with the file that ingest serves at ``path``, or the part of it that is asked for. Raises Problem."""
    asked = {name: request.headers[name] for name in ASKED if name in request.headers}
    try:
        answer = ingest.open(request.method, path, headers=asked, read_s=STALL_S)
        if answer.status in _REDIRECTS:  # to the store itself: an address that a browser need not reach
            answer.close()
            answer = ingest.open_elsewhere(answer.headers.get("Location", ""), headers=asked, read_s=STALL_S)
        if answer.status not in _PASSED:
            with answer:
                raise _refusal(answer)
    except IngestError as error:
        raise problem_of_ingest(error) from error
    except HTTPError as error:
        raise problem_of_ingest(IngestUnavailable("Ingest broke its answer off.")) from error
    headers = safe_headers(answer.headers, file_name=file_name, to_save=to_save)
    if request.method == "HEAD" or answer.status in _NO_BYTES:
        answer.close()
        if answer.status == _BAD_RANGE:
            headers.pop("Content-Length", None)
        return Response(status=answer.status, headers=headers)
    _limit_stalls()
    return Response(_Passed(answer), answer.status, headers, direct_passthrough=True)


def _refusal(answer: BaseHTTPResponse) -> IngestError:
    if answer.status in _REDIRECTS:  # once is enough
        return AnswerNotUnderstood("The object store sends on to somewhere else.")
    return refusal_of(answer.status, answer.headers, answer.read(_MOST_PROBLEM_BYTES))


class _Passed:
    """The bytes of an answer. Closed when the client has them or is gone, which frees the connection too."""

    def __init__(self, answer: BaseHTTPResponse) -> None:
        self._answer = answer
        self._whole = False

    def __iter__(self) -> Iterator[bytes]:
        yield from self._answer.stream(PIECE, decode_content=False)
        self._whole = True

    def close(self) -> None:
        if self._whole:
            self._answer.release_conn()
        else:
            self._answer.close()


def _limit_stalls() -> None:
    connection = request.environ.get("gunicorn.socket")
    if connection is not None:
        connection.settimeout(STALL_S)
