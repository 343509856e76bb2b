from datetime import UTC, datetime

import pika

from mq_common.dead_letter_groups import Groups
from mq_common.dead_letters import DeadLetter, GaveUp
from mq_common.events import MediaEvent


def letter(asset: str, reason: str, error: str | None, *, hour: int = 8, replays: int = 0) -> DeadLetter:
    died = datetime(2026, 3, 1, hour, tzinfo=UTC)
    headers = {"x-death": [{"reason": reason, "time": died}], "replay-count": replays}
    event = MediaEvent.create(asset_id=asset, owner_id="u")
    read = DeadLetter.read(1, pika.BasicProperties(headers=headers), event.to_body())
    read.gave_up = GaveUp(error, f"{asset} went\nwrong") if error else None
    return read


def test_dead_letters_are_summed_up_by_channel_reason_and_error_the_largest_group_first() -> None:
    groups = Groups()
    groups.add("thumbnail", letter("t", "delivery_limit", None))
    groups.add("subtitle", letter("a", "rejected", "BadMedia"))
    for number in range(3):
        groups.add("subtitle", letter(f"b{number}", "rejected", "ToolFailed", hour=9 - number, replays=number))

    found = [(each.channel, each.reason, each.error_class, each.count) for each in groups]
    assert found == [
        ("thumbnail", "delivery_limit", None, 1),
        ("subtitle", "rejected", "ToolFailed", 3),
        ("subtitle", "rejected", "BadMedia", 1),
    ]
    largest = list(groups)[1]
    assert largest.oldest == datetime(2026, 3, 1, 7, tzinfo=UTC)
    assert largest.newest == datetime(2026, 3, 1, 9, tzinfo=UTC)
    assert (largest.fewest, largest.most) == (0, 2)
    assert (largest.example_asset, largest.example_message) == ("b0", "b0 went wrong")


def test_a_stranger_who_makes_up_reasons_fills_no_memory() -> None:
    groups = Groups()
    for number in range(600):
        groups.add("subtitle", letter("a", f"made up {number}", None))
    groups.add("subtitle", letter("a", "made up 7", None))

    assert len(list(groups)) == 500
    assert groups.others == 100
    assert sum(group.count for group in groups) == 501
