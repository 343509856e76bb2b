import os
import threading
from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.file_digest import FileDigest
from media_common.errors import StoreUnavailable

CONTENT = os.urandom(40 * 1024 * 1024)


def _read(buffer: memoryview, offset: int) -> int:
    piece = CONTENT[offset : offset + min(len(buffer), 100_000)]
    buffer[: len(piece)] = piece
    return len(piece)


@given(st.lists(st.integers(0, 4_000_000), max_size=9))
def test_the_hash_is_that_of_all_that_was_written(sizes):
    digest = FileDigest(_read)
    for size in sizes:
        digest.grow(size)
    assert digest.hexdigest() == sha256(CONTENT[: sum(sizes)]).hexdigest()
    digest.close()


def test_it_waits_when_the_hash_is_far_behind():
    digest, gate, grown = FileDigest(lambda *at: gate.wait(10) and _read(*at)), threading.Event(), []

    def write() -> None:
        for _ in range(39):
            digest.grow(1024 * 1024)
            grown.append(1)

    writer = threading.Thread(target=write)
    writer.start()
    writer.join(0.3)
    assert len(grown) < 20
    gate.set()
    writer.join(10)
    assert digest.hexdigest() == sha256(CONTENT[: 39 * 1024 * 1024]).hexdigest()
    digest.close()


@pytest.mark.parametrize("size", [10, 3 * 1024 * 1024])
def test_an_error_of_reading_back_comes_out_and_no_thread_stays(size):
    def fail(_buffer: memoryview, _offset: int) -> int:
        raise StoreUnavailable("the disk is gone")

    before = threading.active_count()
    digest = FileDigest(fail)
    digest.grow(size)
    with pytest.raises(StoreUnavailable, match="is gone"):
        digest.hexdigest()
    digest.close()
    assert threading.active_count() == before


def test_a_file_that_became_shorter_is_a_store_that_fails():
    digest = FileDigest(lambda _buffer, _offset: 0)
    digest.grow(10)
    with pytest.raises(StoreUnavailable, match="shorter"):
        digest.hexdigest()
