"""Looks at a real dead-letter queue: what they find, and that they cost the messages nothing."""

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pika
import pytest
from pika.adapters.blocking_connection import BlockingChannel
from pydantic import SecretStr

import letter_mix
from console.dead_letters.contents import body_view
from console.dead_letters.looks import Looks, LookState
from console.dead_letters.snapshot import Choice
from dead_letters import bury, drain, events
from media_common.local_store import LocalMediaStore
from mq_common.channels import ChannelSpec
from mq_common.dead_letter_walk import DeadLetterWalk
from mq_common.settings import BrokerSettings
from mq_workers import depth, eventually


@pytest.fixture
def looks(settings: BrokerSettings, spec: ChannelSpec, store: LocalMediaStore) -> Iterator[Looks]:
    looks = Looks(settings, lambda: {spec.name: spec}, store)
    yield looks
    looks.close()


def look(looks: Looks) -> LookState:
    looks.begin("subtitle")
    return looks.wait("subtitle", 60)


def test_more_looks_than_a_queue_of_4_x_would_bear_cost_the_messages_nothing(
    looks: Looks, settings: BrokerSettings, spec: ChannelSpec, channel: BlockingChannel, store: LocalMediaStore
) -> None:
    letter_mix.transient(settings, spec, channel, store, 20)
    letter_mix.hostile(spec, channel)
    there = depth(channel, spec.dead_letter_queue)
    first = look(looks)
    for _ in range(30):  # 20 deliveries are the default limit there
        last = look(looks)
        assert (last.busy, last.trouble) == (False, None)

    assert first.snapshot is not None
    assert last.snapshot is not None
    found = [
        [row._replace(n=0) for row in each.snapshot.page(Choice(), 0, 100)[0]]
        for each in (first, last)
        if each.snapshot
    ]
    assert found[0] == found[1]
    assert depth(channel, spec.dead_letter_queue) == there
    taken = drain(channel, spec.dead_letter_queue)
    assert len(taken) == there
    assert [len(properties.headers["x-death"]) for properties, _ in taken] == [1] * there  # none died once more


def test_a_look_finds_groups_letters_errors_and_messages(
    looks: Looks, settings: BrokerSettings, spec: ChannelSpec, channel: BlockingChannel, store: LocalMediaStore
) -> None:
    letter_mix.transient(settings, spec, channel, store, 3)
    letter_mix.lost_workers(settings, spec, channel, store, 1)
    letter_mix.hostile(spec, channel)
    letter_mix.replayed_often(settings, spec, 2, 3)

    snapshot = look(looks).snapshot

    assert snapshot is not None
    assert [(each.reason, each.error_class, each.count, each.most) for each in snapshot.groups] == [
        ("rejected", "InvalidEvent", 6, 0),
        ("rejected", "TransientError", 3, 0),
        ("unknown", None, 2, 3),
        ("delivery_limit", "WorkerLost", 1, 0),
    ]
    rows, total = snapshot.page(Choice(), 0, 50)
    assert total == 12
    assert rows[0].message == "subtitle provider answered 503 for clip-0000"
    kinds = []
    for row in rows[4:10]:
        message = snapshot.message(row.n)
        assert message is not None
        kinds.append((body_view(message.body, row.size).kind, row.size))
    assert [kind for kind, _ in kinds] == ["text", "binary", "text", "text", "empty", "text"]
    assert kinds[2][1] > 200_000


def test_many_who_want_to_see_share_one_look(
    looks: Looks, settings: BrokerSettings, spec: ChannelSpec, channel: BlockingChannel
) -> None:
    bury(settings, spec, events(2000))
    eventually(lambda: depth(channel, spec.dead_letter_queue) == 2000)

    for _ in range(50):
        looks.begin("subtitle")
    seen = looks.wait("subtitle", 60).snapshot
    looks.begin("subtitle", older_than_s=600)

    assert seen is not None
    assert looks.wait("subtitle", 60).snapshot is seen
    assert seen.is_complete


def test_while_somebody_replays_the_last_look_stays_and_it_is_said(
    looks: Looks, settings: BrokerSettings, spec: ChannelSpec, channel: BlockingChannel
) -> None:
    bury(settings, spec, events(10))
    eventually(lambda: depth(channel, spec.dead_letter_queue) == 10)
    before = look(looks).snapshot
    connection = pika.BlockingConnection(pika.URLParameters(settings.amqp_url.get_secret_value()))
    walk = DeadLetterWalk(connection, spec)
    walk.begin(wait_s=5)

    meanwhile = look(looks)
    walk.end()
    connection.close()
    after = look(looks)

    assert before is not None
    assert (meanwhile.snapshot, meanwhile.busy) == (before, True)
    assert (after.busy, after.snapshot is before) == (False, False)


def test_a_look_makes_room_for_a_replay_and_leaves_everything_where_it_was(
    looks: Looks, settings: BrokerSettings, spec: ChannelSpec, channel: BlockingChannel
) -> None:
    bury(settings, spec, events(5000))
    eventually(lambda: depth(channel, spec.dead_letter_queue) == 5000)

    looks.begin("subtitle")
    eventually(lambda: looks.state("subtitle").seen > 0 or not looks.state("subtitle").is_looking)
    looks.cut_short("subtitle")
    short = looks.wait("subtitle", 60).snapshot

    assert short is not None
    whole = look(looks).snapshot
    assert whole is not None
    assert (whole.seen, whole.depth) == (5000, 5000)


def test_a_broker_that_is_away_is_trouble_and_what_was_known_stays(
    spec: ChannelSpec, store: LocalMediaStore, tmp_path: Path
) -> None:
    away = BrokerSettings(amqp_url=SecretStr("amqp://127.0.0.1:1/"), start_limit_s=0.2)
    looks = Looks(away, lambda: {spec.name: spec}, store)

    began = time.monotonic()
    state: Any = look(looks)

    assert state.snapshot is None
    assert "127.0.0.1:1" in state.trouble
    assert time.monotonic() - began < 20
    looks.close()
