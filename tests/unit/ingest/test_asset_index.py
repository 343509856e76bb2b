import time
from datetime import UTC, datetime

import pytest

from ingest.asset_index import AssetIndex, Position, object_name
from ingest.bursts import Burst
from mq_common.events import MediaEvent, Source


def _event(asset_id, source=None):
    return MediaEvent(event_id="e", asset_id=asset_id, owner_id="u-1", uploaded_at=datetime.now(UTC), source=source)


SOURCE = Source(key="k", size=5, sha256="0" * 64, content_type="video/mp4", file_name="clip.mp4")


def _ids(index, after=None):
    return [entry["assetId"] for entry, _, _ in index.newest_first(after)]


def test_later_names_sort_first_across_hours():
    moments = [0.0, 1.0, 3_599.999, 3_600.0, 1_700_000_000.0, 1_700_000_000.001]
    names = [object_name(moment, "x") for moment in moments]
    assert sorted(names, reverse=True) == names


def test_an_upload_that_comes_alone_is_listed_at_once_by_every_process(store):
    AssetIndex(store).note(_event("a-1"))
    assert _ids(AssetIndex(store)) == ["a-1"]


def test_under_load_entries_share_an_object_and_keep_their_order(store):
    index = AssetIndex(store)
    for number in range(50):
        index.note(_event(f"a-{number}"))
    index.flush()
    assert _ids(index) == [f"a-{number}" for number in reversed(range(50))]
    assert len(list(store.list_keys("index/"))) < 10


def test_gathered_entries_are_written_down_without_another_request(store):
    index = AssetIndex(store)
    index.note(_event("a-1"))
    index.note(_event("a-2"))
    deadline = time.monotonic() + 5
    while _ids(AssetIndex(store)) != ["a-2", "a-1"]:
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_an_asset_with_a_file_is_listed_at_once_also_under_load(store):
    index = AssetIndex(store)
    index.note(_event("a-1"))
    index.note(_event("a-2", SOURCE))
    assert _ids(AssetIndex(store)) == ["a-2", "a-1"]


def test_any_page_size_gives_every_asset_once(store):
    index = AssetIndex(store)
    index.note_entry(Burst.create("u-1", 7).to_json(), at_once=True)
    for number in range(5):
        index.note(_event(f"a-{number}"))
    index.flush()
    whole = _ids(index)
    assert len(whole) == len(set(whole)) == 12
    for size in (1, 2, 3, 5, 11):
        paged, after = [], None
        while page := [item for item, _ in zip(index.newest_first(after), range(size), strict=False)]:
            paged += [listed.entry["assetId"] for listed in page]
            after = Position.from_text(page[-1].position.to_text())
        assert paged == whole


def test_a_burst_lists_its_assets_from_the_last_to_the_first_without_a_record_each(store):
    index = AssetIndex(store)
    burst = Burst.create("u-1", 100_000)
    index.note_entry(burst.to_json(), at_once=True)
    first = next(index.newest_first())
    assert first.entry["assetId"] == f"{burst.burst_id}-100000"
    deep = Position(first.position.name, 99_999)
    assert _ids(index, deep) == [f"{burst.burst_id}-000001"]


@pytest.mark.parametrize(
    "text", ["", "x", "1/2.json", "a/b.json:1", "1/b.json:-1", "1/../../x.json:1", "1/b.txt:1", "²/b.json:1"]
)
def test_what_is_no_cursor_is_refused(text):
    with pytest.raises(ValueError, match="cursor"):
        Position.from_text(text)
