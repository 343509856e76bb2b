import io

import pytest
from gunicorn.http.errors import InvalidChunkSize

from ingest.bodies import RequestBody
from ingest.problems import Problem


class FailingStream:
    def __init__(self, first: bytes, error: Exception) -> None:
        self._pieces = [first]
        self._error = error

    def read(self, size: int) -> bytes:
        if self._pieces:
            return self._pieces.pop()
        raise self._error


def _body(content: bytes, declared: int | None = None) -> RequestBody:
    environ = {"wsgi.input": io.BytesIO(content)}
    environ |= {"HTTP_TRANSFER_ENCODING": "chunked"} if declared is None else {"CONTENT_LENGTH": str(declared)}
    return RequestBody(environ, 1.0)


def test_a_body_within_its_limit_comes_whole():
    assert b"".join(_body(b"x" * 3_000_000).pieces(3_000_000)) == b"x" * 3_000_000


def test_without_a_length_and_without_chunks_there_is_no_body():
    assert RequestBody({"wsgi.input": io.BytesIO(b"")}, 1.0).declared == 0


@pytest.mark.parametrize("declared", [None, 11])
def test_one_byte_over_the_limit_is_refused_with_413(declared):
    with pytest.raises(Problem) as refused:
        list(_body(b"x" * 11, declared).pieces(10))
    assert refused.value.kind.status == 413
    assert refused.value.members == {"limitBytes": 10}


def test_a_declared_length_over_the_limit_is_refused_before_a_byte_is_read():
    body = _body(b"", 10**15)
    with pytest.raises(Problem) as refused:
        body.refuse_over(100)
    assert refused.value.kind.status == 413


def test_a_body_shorter_than_declared_was_broken_off():
    with pytest.raises(Problem) as refused:
        list(_body(b"x" * 5, 6).pieces(100))
    assert refused.value.kind.slug == "upload-broken-off"


@pytest.mark.parametrize(
    ("error", "slug"),
    [
        (TimeoutError(), "upload-stalled"),
        (ConnectionResetError(), "upload-broken-off"),
        (InvalidChunkSize(b"zz"), "malformed-request"),
    ],
)
def test_whatever_ends_the_stream_becomes_a_problem(error, slug):
    body = RequestBody({"wsgi.input": FailingStream(b"x", error), "HTTP_TRANSFER_ENCODING": "chunked"}, 1.0)
    with pytest.raises(Problem) as refused:
        list(body.pieces(100))
    assert refused.value.kind.slug == slug


def test_a_refused_small_body_is_read_to_its_end_and_a_large_one_is_left():
    small, large = _body(b"x" * 1000, 1000), _body(b"x" * 1000, 10**9)
    small.discard()
    large.discard()
    assert (small.received, large.received) == (1000, 0)
