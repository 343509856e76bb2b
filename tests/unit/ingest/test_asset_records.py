import pytest

from ingest.asset_records import create_record, has_record, read_record
from media_common import layout
from mq_common.events import MediaEvent, Source


def _event(*, with_file, asset_id="a1"):
    source = None
    if with_file:
        source = Source(key=f"assets/{asset_id}/source", size=1, sha256="0" * 64, content_type="video/mp4")
    return MediaEvent.create(asset_id=asset_id, owner_id="u-1", source=source)


@pytest.mark.parametrize("with_file", [True, False])
def test_a_record_is_read_as_it_was_written(store, with_file):
    event = _event(with_file=with_file)
    assert not has_record(store, "a1")
    assert create_record(store, event)
    assert has_record(store, "a1")
    assert read_record(store, "a1") == event


@pytest.mark.parametrize("first", [True, False])
@pytest.mark.parametrize("second", [True, False])
def test_an_id_is_taken_once_in_whichever_form(store, first, second):
    event = _event(with_file=first)
    assert create_record(store, event)
    assert not create_record(store, _event(with_file=second))
    assert read_record(store, "a1") == event


def test_a_simulated_asset_of_an_earlier_version_is_found_where_it_is(store):
    event = _event(with_file=False)
    store.put_bytes(layout.asset_key("a1"), event.to_body())
    assert not create_record(store, _event(with_file=False))
    assert read_record(store, "a1") == event
    assert not store.exists(layout.simulated_key("a1"))


def test_a_file_that_finds_a_simulated_asset_written_meanwhile_gives_way(store, monkeypatch):
    looks = iter([False, True])
    monkeypatch.setattr(store, "exists", lambda _: next(looks))
    assert not create_record(store, _event(with_file=True))
    assert store.get_bytes(layout.asset_key("a1")) is None
