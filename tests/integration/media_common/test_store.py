"""What both kinds of store do, on the real thing."""

import threading
from pathlib import Path

import obstore
import pytest

from media_common.errors import ObjectNotFound
from media_common.media_store import READ_CHUNK
from media_common.store import MediaStore

KEY = "assets/a1/thumbnail/poster.jpg"


def test_what_is_put_is_there(store: MediaStore) -> None:
    assert store.put_bytes(KEY, b"first")
    assert store.put_bytes(KEY, b"second")

    assert store.get_bytes(KEY) == b"second"
    info = store.head(KEY)
    assert info is not None
    assert (info.key, info.size, bool(info.etag)) == (KEY, 6, True)


def test_what_was_never_put_is_none_and_no_error(store: MediaStore) -> None:
    assert store.get_bytes(KEY) is None
    assert store.get_json(KEY) is None
    assert store.head(KEY) is None
    assert store.local_path(KEY) is None
    store.delete(KEY)
    store.delete_prefix("assets/a1/")


def test_nothing_is_found_below_an_object(store: MediaStore) -> None:
    store.put_bytes("assets/a1/source", b"x")

    assert store.get_bytes("assets/a1/source/poster.jpg") is None


def test_put_if_absent_leaves_what_is_there(store: MediaStore) -> None:
    assert store.put_bytes(KEY, b"first", if_absent=True)
    assert not store.put_bytes(KEY, b"second", if_absent=True)

    assert store.get_bytes(KEY) == b"first"


def test_of_many_who_put_if_absent_one_wins(store: MediaStore) -> None:
    won: list[int] = []
    start = threading.Barrier(8)

    def put(number: int) -> None:
        start.wait()
        if store.put_json(KEY, {"number": number}, if_absent=True, durable=number % 2 == 0):
            won.append(number)

    threads = [threading.Thread(target=put, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(won) == 1
    assert store.get_json(KEY) == {"number": won[0]}


@pytest.mark.parametrize("content", [b"", b"{", b"[1]", b"\xff\xfe", b"null"])
def test_what_is_no_json_object_is_read_as_none(store: MediaStore, content: bytes) -> None:
    store.put_bytes(KEY, content)

    assert store.get_json(KEY) is None


def test_json_keeps_every_script(store: MediaStore) -> None:
    store.put_json(KEY, {"name": "Müller 🎬"})

    assert store.get_json(KEY) == {"name": "Müller 🎬"}


def test_an_upload_appears_whole_when_it_is_committed(store: MediaStore) -> None:
    content = bytes(range(256)) * 4096 * 20  # 20 MiB: more than one part
    with store.writer(KEY, "image/jpeg") as writer:
        for start in range(0, len(content), 700_001):
            assert writer.write(memoryview(content)[start : start + 700_001]) > 0
        assert store.head(KEY) is None
        writer.commit()

    assert store.get_bytes(KEY) == content


def test_an_upload_of_nothing_is_an_empty_object(store: MediaStore) -> None:
    with store.writer(KEY, "image/jpeg") as writer:
        writer.commit()

    assert store.get_bytes(KEY) == b""


def test_an_upload_replaces_what_was_there_at_once(store: MediaStore) -> None:
    store.put_bytes(KEY, b"old")
    with store.writer(KEY, "image/jpeg") as writer:
        writer.write(b"new content")
        assert store.get_bytes(KEY) == b"old"
        writer.commit()

    assert store.get_bytes(KEY) == b"new content"


@pytest.mark.parametrize("size", [0, 1000, 20_000_000])
def test_an_upload_that_is_given_up_leaves_nothing(store: MediaStore, size: int) -> None:
    with pytest.raises(RuntimeError), store.writer(KEY, "image/jpeg") as writer:
        writer.write(b"x" * size)
        raise RuntimeError("the client hung up")
    with store.writer(KEY, "image/jpeg") as writer:
        writer.write(b"x" * size)

    assert list(store.list_keys("assets/")) == []


@pytest.mark.parametrize("consume", [False, True])
def test_a_file_is_copied_or_given_away(store: MediaStore, tmp_path: Path, consume: bool) -> None:
    made = tmp_path / "made.jpg"
    made.write_bytes(b"picture" * 3_000_000)
    store.put_bytes(KEY, b"old")

    store.put_file(KEY, made, "image/jpeg", consume=consume)

    assert store.get_bytes(KEY) == b"picture" * 3_000_000
    assert made.exists() is not consume


def test_a_copied_file_is_the_stores_own(store: MediaStore, tmp_path: Path) -> None:
    made = tmp_path / "made.jpg"
    made.write_bytes(b"picture")
    store.put_file(KEY, made, "image/jpeg")
    made.write_bytes(b"changed")

    assert store.get_bytes(KEY) == b"picture"


@pytest.mark.parametrize(
    ("start", "end", "expected"),
    [(0, 10, b"0123456789"), (3, 5, b"34"), (9, 10, b"9"), (8, 100, b"89"), (10, 20, b""), (50, 60, b""), (4, 4, b"")],
)
def test_a_range_is_read(store: MediaStore, start: int, end: int, expected: bytes) -> None:
    store.put_bytes(KEY, b"0123456789")

    assert b"".join(store.read_range(KEY, start, end)) == expected


@pytest.mark.parametrize(("start", "end"), [(-1, 5), (5, 4)])
def test_what_is_no_range_is_refused(store: MediaStore, start: int, end: int) -> None:
    with pytest.raises(ValueError, match="is no range"):
        list(store.read_range(KEY, start, end))


def test_a_range_of_nothing_there_is_an_error(store: MediaStore) -> None:
    with pytest.raises(ObjectNotFound):
        list(store.read_range(KEY, 0, 10))


def test_no_more_is_read_than_was_asked_and_taken(store: MediaStore, monkeypatch: pytest.MonkeyPatch) -> None:
    store.put_bytes(KEY, b"x" * (5 * READ_CHUNK))
    asked: list[tuple[int, int]] = []
    get_range = obstore.get_range

    def counted(objects: object, key: str, *, start: int, length: int) -> object:
        asked.append((start, length))
        return get_range(objects, key, start=start, length=length)  # type: ignore[arg-type]

    monkeypatch.setattr(obstore, "get_range", counted)

    assert len(b"".join(store.read_range(KEY, 100, 200))) == 100
    next(store.read_range(KEY, 0, 5 * READ_CHUNK))  # the player went away after the first chunk
    assert len(b"".join(store.read_range(KEY, 0, READ_CHUNK + 1))) == READ_CHUNK + 1

    assert asked == [(100, 100), (0, READ_CHUNK), (0, READ_CHUNK), (READ_CHUNK, 1)]


def test_a_folder_lists_what_is_in_it_and_the_folders_below(store: MediaStore) -> None:
    for key in ("source", "asset.json", "thumbnail/poster.jpg", "transcode/720p/index.m3u8"):
        store.put_bytes(f"assets/a1/{key}", b"x")
    store.put_bytes("assets/a10/source", b"x")

    folder = store.list_folder("assets/a1/")

    assert {info.key for info in folder.names} == {"assets/a1/source", "assets/a1/asset.json"}
    assert set(folder.folders) == {"assets/a1/thumbnail/", "assets/a1/transcode/"}
    assert set(store.list_folder("assets/").folders) == {"assets/a1/", "assets/a10/"}
    assert store.list_folder("assets/none/").names == ()
    assert set(store.list_keys("assets/a1/transcode/")) == {"assets/a1/transcode/720p/index.m3u8"}


def test_deleting_a_folder_leaves_its_neighbours(store: MediaStore) -> None:
    for key in ("a1/source", "a1/thumbnail/poster.jpg", "a10/source"):
        store.put_bytes(f"assets/{key}", b"x")

    store.delete_prefix("assets/a1/")

    assert list(store.list_keys("assets/")) == ["assets/a10/source"]
    assert store.list_folder("assets/").folders == ("assets/a10/",)


def test_an_object_is_there_as_a_file_for_tools_that_need_one(store: MediaStore, tmp_path: Path) -> None:
    content = bytes(range(256)) * 4096 * 18
    store.put_bytes("assets/a1/source", content)

    assert store.fetch("assets/a1/source", tmp_path).read_bytes() == content
    with pytest.raises(ObjectNotFound):
        store.fetch("assets/a2/source", tmp_path)


@pytest.mark.parametrize("key", ["", "/etc/passwd", "../outside", "assets/../../outside"])
def test_a_key_that_leads_out_of_the_store_is_refused(store: MediaStore, tmp_path: Path, key: str) -> None:
    (tmp_path / "outside").write_bytes(b"secret")

    with pytest.raises(ValueError, match=r"."):
        store.put_bytes(key, b"x")
    with pytest.raises(ValueError, match=r"."):
        store.put_file(key, tmp_path / "outside", "x")


def test_a_store_that_works_is_found_to_work(store: MediaStore) -> None:
    store.check()


def test_many_objects_are_described_page_by_page_and_removed_at_once(store: MediaStore) -> None:
    for number in range(1100):
        store.put_bytes(f"outbox/{number}.json", b"x" * (1 + number % 3))
    store.put_bytes("outbox-not/1.json", b"x")

    found = {info.key: info.size for info in store.list_objects("outbox/")}

    assert found == {f"outbox/{number}.json": 1 + number % 3 for number in range(1100)}
    store.delete("outbox/7.json")
    store.delete_all(found)
    assert list(store.list_keys("outbox/")) == []
    assert list(store.list_keys("outbox-not/")) == ["outbox-not/1.json"]


def test_listing_nothing_gives_nothing(store: MediaStore) -> None:
    assert list(store.list_objects("nowhere/")) == []
