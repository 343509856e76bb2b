import threading
from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.digest import StreamDigest


@given(st.lists(st.integers(0, 300_000), max_size=6))
def test_the_hash_is_that_of_all_pieces_in_order(sizes):
    digest, whole = StreamDigest(), b""
    for number, size in enumerate(sizes):
        piece = bytes([number]) * size
        digest.update(piece)
        whole += piece
    assert digest.hexdigest() == sha256(whole).hexdigest()
    digest.close()


@pytest.mark.parametrize("size", [10, 1_000_000])
def test_no_thread_is_left_behind(size):
    before = set(threading.enumerate())
    digest = StreamDigest()
    digest.update(b"x" * size)
    digest.close()
    assert set(threading.enumerate()) <= before  # other tests' threads may end meanwhile
