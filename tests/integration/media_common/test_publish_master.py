"""The master playlist, whichever channel finishes first."""

import threading

import pytest

from media_common.hls import publish_master
from media_common.layout import result_key
from media_common.store import MediaStore

_KEY = "assets/a1/transcode/master.m3u8"
_PARTS = {
    "transcode": {"variants": [{"uri": "720p/index.m3u8", "bandwidth": 2_500_000}]},
    "subtitle": {"subtitles": [{"uri": "en/index.m3u8", "name": "English", "language": "en", "default": True}]},
}


def _finish(store: MediaStore, channel: str) -> None:
    """Commit and publish, as each channel's job does."""
    store.put_json(result_key("a1", channel), {"eventId": "e1", "details": {"hls": _PARTS[channel]}})
    publish_master(store, "a1", "transcode")


def _published(store: MediaStore) -> str:
    content = store.get_bytes(_KEY)
    assert content is not None
    return content.decode()


@pytest.mark.parametrize("order", [("transcode", "subtitle"), ("subtitle", "transcode")])
def test_the_playlist_is_whole_in_either_order(store: MediaStore, order: tuple[str, str]) -> None:
    _finish(store, order[0])
    if order[0] == "subtitle":
        assert store.head(_KEY) is None
    else:
        assert "SUBTITLES" not in _published(store)
    _finish(store, order[1])

    assert "720p/index.m3u8" in _published(store)
    assert 'URI="../subtitle/en/index.m3u8"' in _published(store)


def test_channels_without_a_part_do_not_disturb(store: MediaStore) -> None:
    store.put_json(result_key("a1", "thumbnail"), {"eventId": "e1", "details": {}})
    store.put_json(result_key("a1", "odd"), {"details": {"hls": "nonsense"}})
    store.put_bytes(result_key("a1", "broken"), b"{")
    _finish(store, "transcode")

    assert "720p/index.m3u8" in _published(store)


def test_publishing_again_writes_nothing(store: MediaStore) -> None:
    _finish(store, "transcode")
    before = store.head(_KEY)
    written: list[str] = []
    store.put_bytes = lambda key, *_a, **_o: bool(written.append(key))  # type: ignore[method-assign, assignment]
    publish_master(store, "a1", "transcode")

    assert written == []
    assert store.head(_KEY) == before


def test_a_writer_that_was_overtaken_does_not_leave_its_old_playlist(store: MediaStore) -> None:
    put_bytes = store.put_bytes
    overtaken = threading.Event()

    def slow(key: str, data: bytes, **options: object) -> bool:
        if key == _KEY and not overtaken.is_set():
            overtaken.set()
            _finish(store, "subtitle")  # commits and publishes while the first is about to write
        return put_bytes(key, data, **options)  # type: ignore[arg-type]

    store.put_bytes = slow  # type: ignore[method-assign, assignment]
    _finish(store, "transcode")

    assert overtaken.is_set()
    assert 'URI="../subtitle/en/index.m3u8"' in _published(store)


@pytest.mark.parametrize("round_", range(5))
def test_two_channels_that_finish_together_leave_the_whole(store: MediaStore, round_: int) -> None:
    together = threading.Barrier(2)

    def finish(channel: str) -> None:
        together.wait()
        _finish(store, channel)

    threads = [threading.Thread(target=finish, args=(channel,)) for channel in _PARTS]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert round_ >= 0
    assert "SUBTITLES=" in _published(store)
