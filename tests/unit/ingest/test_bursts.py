from uuid import UUID

import pytest

from ingest.bursts import Burst, burst_asset_id, burst_of


def test_each_asset_of_a_burst_has_its_own_event_and_always_the_same():
    burst = Burst.create("u-1", 3)
    events = [burst.event(number) for number in (1, 2, 3)]
    assert len({event.event_id for event in events}) == 3
    assert all(UUID(event.event_id).version == 7 for event in events)
    assert Burst.from_json(burst.to_json()).event(2) == events[1]


def test_two_bursts_share_no_event():
    one, other = Burst.create("u-1", 1), Burst.create("u-1", 1)
    assert one.event(1).event_id != other.event(1).event_id
    assert one.event(1).asset_id != other.event(1).asset_id


def test_an_assets_id_says_which_burst_and_which_number():
    burst = Burst.create("u-1", 100_000)
    assert burst_of(burst_asset_id(burst.burst_id, 100_000)) == (burst.burst_id, 100_000)


@pytest.mark.parametrize("asset_id", ["demo-001", "burst-12-000001", "burst-" + "a" * 32, "burst-" + "a" * 32 + "-1"])
def test_other_ids_are_of_no_burst(asset_id):
    assert burst_of(asset_id) is None
