"""Searching the list: by the beginning of an id, by owner, by state; with a bound on what one request looks at."""

from datetime import UTC, datetime, timedelta
from urllib.parse import parse_qsl, urlsplit

import pytest

from ingest.app import create_app
from ingest.asset_index import object_name
from ingest.asset_list import Wish, list_assets
from ingest.asset_records import create_record
from ingest.asset_search import Effort
from ingest.bursts import Burst, burst_key
from ingest.problems import Problem
from media_common.layout import failure_key, progress_key, result_key
from mq_common.events import MediaEvent

START = datetime(2026, 3, 1, 8, 0, tzinfo=UTC)


def _upload(runtime, asset_id, owner="u-1", *, minutes=0):
    uploaded_at = START + timedelta(minutes=minutes)
    event = MediaEvent(event_id=f"e-{asset_id}", asset_id=asset_id, owner_id=owner, uploaded_at=uploaded_at)
    assert create_record(runtime.store, event)
    entry = {"assetId": asset_id, "ownerId": owner, "uploadedAt": uploaded_at.isoformat()}
    runtime.store.put_json(f"index/{object_name(uploaded_at.timestamp(), asset_id)}", {"entries": [entry]})


def _burst(runtime, count, owner="burst", *, minutes=0):
    burst = Burst.create(owner, count)
    stored = burst.to_json() | {"uploadedAt": (START + timedelta(minutes=minutes)).isoformat()}
    runtime.store.put_json(burst_key(burst.burst_id), stored)
    name = object_name((START + timedelta(minutes=minutes)).timestamp(), "burst")
    runtime.store.put_json(f"index/{name}", {"entries": [stored]})
    return burst.burst_id


def _search(runtime, effort=None, **query):
    return list_assets(runtime, Wish.from_query(query), effort)


def _ids(page):
    return [summary.asset_id for summary in page.assets]


def _all_pages(runtime, make_effort=lambda: None, **query):
    pages = [_search(runtime, make_effort(), **query)]
    while pages[-1].next:
        query = dict(parse_qsl(urlsplit(pages[-1].next).query))
        pages.append(_search(runtime, make_effort(), **query))
    return pages


def test_an_id_is_found_by_its_beginning_newest_first(runtime):
    for minute, asset_id in enumerate(["talk-1", "film-1", "talk-2", "Talk-3"]):
        _upload(runtime, asset_id, minutes=minute)
    assert _ids(_search(runtime, q="talk-")) == ["talk-2", "talk-1"]
    assert _ids(_search(runtime, q="none")) == []


def test_owner_is_matched_whole_and_together_with_the_id(runtime):
    _upload(runtime, "talk-1", "ann", minutes=1)
    _upload(runtime, "talk-2", "anna", minutes=2)
    _upload(runtime, "film-1", "ann", minutes=3)
    assert _ids(_search(runtime, owner="ann")) == ["film-1", "talk-1"]
    assert _ids(_search(runtime, owner="ann", q="talk")) == ["talk-1"]


def test_state_is_read_from_what_the_channels_left(runtime):
    for minute, asset_id in enumerate(["waits", "runs", "ended", "dead"]):
        _upload(runtime, asset_id, minutes=minute)
    runtime.store.put_json(progress_key("runs", "transcode"), {"percent": 40.0, "startedAt": "2026-03-01T08:00:00Z"})
    for channel in ("thumbnail", "transcode", "subtitle"):
        runtime.store.put_json(result_key("ended", channel), {"eventId": "e-ended"})
        runtime.store.put_json(
            failure_key("dead", channel), {"reason": "rejected", "failedAt": "2026-03-01T09:00:00.000Z"}
        )
    found = {state: _ids(_search(runtime, state=state)) for state in ("queued", "running", "done", "dead-lettered")}
    assert found == {"queued": ["waits"], "running": ["runs"], "done": ["ended"], "dead-lettered": ["dead"]}
    (summary,) = _search(runtime, state="running", include="status").assets
    assert summary.channels["transcode"].percent == 40.0
    assert summary.channels["subtitle"].state == "queued"
    assert _search(runtime, state="running").assets[0].channels is None


def test_an_asset_whose_whole_id_is_asked_for_is_found_however_old_it_is_and_given_once(runtime):
    _upload(runtime, "talk", minutes=0)
    for minute in range(1, 9):
        _upload(runtime, f"talk-{minute}", minutes=minute)
    first = _search(runtime, Effort(entries=2), q="talk")
    assert _ids(first)[0] == "talk"
    assert first.next is not None
    everything = [
        asset_id for page in _all_pages(runtime, lambda: Effort(entries=2), q="talk") for asset_id in _ids(page)
    ]
    assert sorted(everything) == sorted(["talk", *(f"talk-{minute}" for minute in range(1, 9))])
    assert _ids(_search(runtime, q="talk", owner="somebody-else")) == []


def test_one_request_looks_at_a_bounded_part_and_says_how_far_it_looked(runtime):
    _upload(runtime, "needle", minutes=0)
    for minute in range(1, 10):
        _upload(runtime, f"hay-{minute}", minutes=minute)
    page = _search(runtime, Effort(entries=4), q="need", limit="5")
    assert (_ids(page), page.searched_until) == ([], START + timedelta(minutes=6))
    pages = _all_pages(runtime, lambda: Effort(entries=4), q="need", limit="5")
    assert [_ids(page) for page in pages] == [[], [], ["needle"]]
    assert (pages[-1].next, pages[-1].searched_until) == (None, None)


def test_a_slow_store_still_gets_one_entry_further_with_each_request(runtime):
    for minute in range(4):
        _upload(runtime, f"a-{minute}", minutes=minute)
    pages = _all_pages(runtime, lambda: Effort(seconds=0), owner="u-1")
    assert [len(page.assets) for page in pages] == [1, 1, 1, 1]


def test_a_list_without_a_search_fills_its_pages_whatever_it_takes(runtime):
    for minute in range(4):
        _upload(runtime, f"a-{minute}", minutes=minute)
    page = _search(runtime, Effort(seconds=0), limit="3")
    assert (len(page.assets), page.searched_until) == (3, None)


def test_a_burst_of_somebody_else_costs_one_look(runtime):
    _upload(runtime, "mine", "ann", minutes=0)
    _burst(runtime, 100_000, minutes=1)
    effort = Effort(entries=10)
    assert _ids(_search(runtime, effort, owner="ann")) == ["mine"]
    assert not effort.is_spent


def test_a_bursts_assets_are_found_by_the_beginning_of_their_id_and_in_full(runtime):
    burst_id = _burst(runtime, 12)
    assert _ids(_search(runtime, q=f"{burst_id}-00001")) == [f"{burst_id}-{number:06d}" for number in (12, 11, 10)]
    assert _ids(_search(runtime, q=f"{burst_id}-000007")) == [f"{burst_id}-000007"]
    assert len(_ids(_search(runtime, q=burst_id[:20]))) == 12


def test_pages_of_a_search_give_every_asset_once(runtime):
    for minute in range(7):
        _upload(runtime, f"a-{minute}", minutes=minute)
        _upload(runtime, f"b-{minute}", minutes=minute)
    pages = _all_pages(runtime, q="a-", limit="3", include="status")
    assert [len(page.assets) for page in pages] == [3, 3, 1]
    assert all(summary.channels for page in pages for summary in page.assets)


def test_assets_named_by_id_come_in_that_order_and_without_those_that_are_not_there(runtime):
    for asset_id in ("one", "two", "three"):
        _upload(runtime, asset_id)
    burst_id = _burst(runtime, 3)
    page = _search(runtime, ids=f"three,none,../one,{burst_id}-000002,one", include="status")
    assert _ids(page) == ["three", f"{burst_id}-000002", "one"]
    assert page.assets[0].channels["transcode"].state == "queued"


@pytest.mark.parametrize(
    "query",
    [{"q": "../x"}, {"q": "a b"}, {"owner": "x" * 129}, {"state": "broken"}, {"ids": ",".join(map(str, range(201)))}],
)
def test_a_search_that_can_not_be_meant_is_422(query):
    with pytest.raises(Problem) as refused:
        Wish.from_query(query)
    assert refused.value.kind.status == 422


def test_an_empty_field_of_a_form_asks_for_nothing():
    assert Wish.from_query({"q": "", "owner": "", "state": ""}).search.wants_all


def test_what_is_taken_here_can_be_asked_for(runtime):
    answer = create_app(runtime).flask.test_client().get("/capabilities").json
    assert answer == {"simulated": True, "maxUploadBytes": 20 * 1024**3, "maxBurst": 100_000}
