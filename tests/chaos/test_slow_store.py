"""The slow media store: every access takes longer while it is said to, and does what it always does."""

import time
from collections.abc import Callable
from pathlib import Path

import pytest
from mediaflow_chaos import slow_store

from media_common.local_store import LocalMediaStore

DELAY_S = 0.05


@pytest.fixture
def control(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in slow_store._ACCESSES:
        monkeypatch.setattr(LocalMediaStore, name, getattr(LocalMediaStore, name))
    for name in slow_store._WRITER_ACCESSES:
        monkeypatch.setattr(slow_store._LocalWriter, name, getattr(slow_store._LocalWriter, name))
    slow_store.slow_down(tmp_path / "control")
    return tmp_path / "control"


def write(store: LocalMediaStore) -> object:
    with store.writer("a/c", "video/mp4") as file:
        file.write(b"c")
        file.commit()
    return True


@pytest.mark.parametrize(
    "access",
    [
        lambda store: store.put_bytes("a/b", b"b"),
        lambda store: store.get_bytes("a") is None,
        lambda store: store.put_json("a/b", {}),
        lambda store: store.create_record("a/b", b"{}") is None,
        lambda store: not store.exists("a/x"),
        lambda store: not list(store.list_keys("a/")),
        lambda store: store.local_path("a/b") is None,
        write,
    ],
)
def test_an_access_waits_while_it_is_told_to_and_only_then(
    control: Path, tmp_path: Path, access: Callable[[LocalMediaStore], object]
) -> None:
    store = LocalMediaStore(tmp_path / "store")
    began = time.monotonic()
    control.write_text(str(DELAY_S))

    assert access(store)
    assert time.monotonic() - began >= DELAY_S

    control.write_text("600")
    control.unlink()
    store.exists("a/b")  # would take ten minutes
