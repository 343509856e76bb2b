"""Claims and commits when workers die or freeze in the middle."""

import threading
import time
from pathlib import Path

import pytest

from media_common.claim import Claim, ClaimLost
from media_common.commit import Commit, outputs_in
from media_common.errors import JobCancelled
from media_common.layout import claim_key, output_key, result_key
from media_common.store import MediaStore

_CLAIM = claim_key("a1", "transcode")
_RESULT = result_key("a1", "transcode")


def _never() -> bool:
    return False


def _commit(store: MediaStore, lease_s: float = 1.0) -> Commit:
    return Commit(store, "a1", "transcode", "e1", lease_s=lease_s)


def _place(store: MediaStore, folder: Path, worker: str = "w1", **options: float) -> bool:
    folder.mkdir(exist_ok=True)
    (folder / "0.m4s").write_text(worker)
    (folder / "index.m3u8").write_text(worker)
    return _commit(store, **options).place(
        outputs_in(folder), {"eventId": "e1", "worker": worker}, worker=worker, cancelled=threading.Event()
    )


def test_a_commit_leaves_no_claim_behind(store: MediaStore, tmp_path: Path) -> None:
    assert _place(store, tmp_path / "made")

    assert store.head(_CLAIM) is None


def test_what_a_dead_worker_left_half_done_is_taken_over_after_the_lease(store: MediaStore, tmp_path: Path) -> None:
    store.put_json(_CLAIM, {"token": "dead"})
    for name in ("0.m4s", "1.m4s", "2.m4s"):
        store.put_bytes(output_key("a1", "transcode", name), b"half")
    started = time.monotonic()

    assert _place(store, tmp_path / "made", lease_s=0.6)

    assert time.monotonic() - started > 0.6
    assert store.get_bytes(output_key("a1", "transcode", "0.m4s")) == b"w1"
    assert {key.rsplit("/", 1)[1] for key in store.list_keys("assets/a1/transcode/")} == {
        "0.m4s",
        "index.m3u8",
        "result.json",
    }


def test_a_worker_that_waits_sees_the_other_commit(store: MediaStore, tmp_path: Path) -> None:
    store.put_json(_CLAIM, {"token": "alive"})
    results: list[bool] = []
    waiting = threading.Thread(target=lambda: results.append(_place(store, tmp_path / "made", lease_s=60)))
    waiting.start()
    store.put_json(_RESULT, {"eventId": "e1", "worker": "other"})
    waiting.join(20)

    assert results == [False]
    assert store.get_json(_RESULT) == {"eventId": "e1", "worker": "other"}
    assert store.head(output_key("a1", "transcode", "0.m4s")) is None


def test_a_worker_that_waits_can_be_cancelled(store: MediaStore) -> None:
    store.put_json(_CLAIM, {"token": "alive"})
    cancelled = threading.Event()
    cancelled.set()

    with pytest.raises(JobCancelled):
        Claim(store, _CLAIM, "w2").acquire(_never, cancelled)


def test_a_slow_upload_keeps_its_claim(store: MediaStore) -> None:
    lease_s = 1.0
    slow, other = (Claim(store, _CLAIM, worker, lease_s=lease_s) for worker in ("slow", "other"))
    assert slow.acquire(_never, threading.Event())
    given_up = threading.Event()
    with slow:
        waiting = threading.Thread(target=lambda: _expect_cancelled(other, given_up))
        waiting.start()
        time.sleep(3 * lease_s)  # the time that passes is what is tested
        slow.check()
        given_up.set()
        waiting.join(20)

    assert store.head(_CLAIM) is None


def _expect_cancelled(claim: Claim, cancelled: threading.Event) -> None:
    with pytest.raises(JobCancelled):
        claim.acquire(_never, cancelled)


def test_a_worker_that_was_frozen_learns_that_it_lost_its_claim(store: MediaStore) -> None:
    frozen = Claim(store, _CLAIM, "frozen", lease_s=0.4)
    assert frozen.acquire(_never, threading.Event())  # and then does not get to renew it
    other = Claim(store, _CLAIM, "other", lease_s=0.4)
    assert other.acquire(_never, threading.Event())

    with pytest.raises(ClaimLost):
        frozen.check()
    other.check()
    with frozen:
        pass
    assert store.get_json(_CLAIM) is not None  # what is not its own it does not take away


def test_a_worker_that_lost_its_claim_commits_nothing(store: MediaStore, tmp_path: Path) -> None:
    put_file = store.put_file

    def robbed(key: str, path: Path, content_type: str, *, consume: bool = False) -> None:
        put_file(key, path, content_type, consume=consume)
        store.put_json(_CLAIM, {"token": "another"})
        time.sleep(0.6)

    store.put_file = robbed  # type: ignore[method-assign]
    with pytest.raises(ClaimLost):
        _place(store, tmp_path / "made", lease_s=1.0)

    assert store.head(_RESULT) is None


def test_playlists_come_after_what_they_list(store: MediaStore, tmp_path: Path) -> None:
    order: list[str] = []
    put_file = store.put_file

    def noted(key: str, path: Path, content_type: str, *, consume: bool = False) -> None:
        put_file(key, path, content_type, consume=consume)
        order.append(key.rsplit("/", 1)[1])

    store.put_file = noted  # type: ignore[method-assign]
    (tmp_path / "made").mkdir()
    for number in range(20):
        (tmp_path / "made" / f"z{number}.m4s").write_text("x")
    (tmp_path / "made" / "a.m3u8").write_text("x")
    assert _place(store, tmp_path / "made")

    assert set(order[-2:]) == {"a.m3u8", "index.m3u8"}
    assert len(order) == 23
