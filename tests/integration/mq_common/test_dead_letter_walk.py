"""Walks through a real dead-letter queue: nothing in it is lost, harmed or put out of order."""

import random
import time

import pika
import pytest
import structlog
from pika.adapters.blocking_connection import BlockingChannel

from dead_letters import assets, bury, events, kill
from mq_common import dead_letter_walk
from mq_common.channels import ChannelSpec
from mq_common.connection import server_version
from mq_common.dead_letter_survey import survey, survey_over
from mq_common.dead_letter_walk import Busy, DeadLetterWalk
from mq_common.dead_letters import DeadLetter
from mq_common.settings import BrokerSettings
from mq_common.topology import UNLIMITED_IS_MINUS_ONE, declare_topology
from mq_workers import depth, eventually


@pytest.fixture(autouse=True)
def queues(settings: BrokerSettings, spec: ChannelSpec) -> None:
    declare_topology(settings, [spec])


def connect(settings: BrokerSettings) -> pika.BlockingConnection:
    return pika.BlockingConnection(pika.URLParameters(settings.amqp_url.get_secret_value()))


def test_a_dead_letter_queue_survives_a_thousand_looks_in_its_order(
    settings: BrokerSettings, spec: ChannelSpec, channel: BlockingChannel, monkeypatch: pytest.MonkeyPatch
) -> None:
    kill(settings, spec, channel, events(3))
    connection = connect(settings)

    for number in range(1000):
        if number == 100:  # being the only one takes a third of a look's time, and costs the messages nothing
            monkeypatch.setattr(dead_letter_walk, "lock_walk", lambda *_: None)
        seen = [letter.asset_id for letter in survey_over(connection, spec)]
        assert seen == ["a-0", "a-1", "a-2"]
    connection.close()
    monkeypatch.undo()

    letters = list(survey(settings, spec))
    assert [letter.history.reason for letter in letters] == ["rejected"] * 3
    assert [letter.history.replays for letter in letters] == [0] * 3
    assert assets(channel, spec.dead_letter_queue) == ["a-0", "a-1", "a-2"]


def warnings_of_a_look(settings: BrokerSettings, spec: ChannelSpec) -> list[str]:
    with structlog.testing.capture_logs() as logs:
        assert len(list(survey(settings, spec))) == 1
    return [entry["event"] for entry in logs if entry["log_level"] == "warning"]


def test_a_look_warns_where_the_queue_is_older_than_a_broker_that_counts_looks(
    settings: BrokerSettings, spec: ChannelSpec, channel: BlockingChannel
) -> None:
    kill(settings, spec, channel, events(1))
    assert warnings_of_a_look(settings, spec) == []

    channel.queue_delete(spec.dead_letter_queue)
    channel.queue_declare(spec.dead_letter_queue, durable=True, arguments={"x-queue-type": "quorum"})
    channel.queue_bind(spec.dead_letter_queue, "media.dlx", spec.name)
    kill(settings, spec, channel, events(1))

    connection = connect(settings)
    counts = server_version(connection) >= UNLIMITED_IS_MINUS_ONE
    connection.close()
    assert warnings_of_a_look(settings, spec) == (["dead_letter_queue_has_default_limit"] if counts else [])


def walk_and_take(settings: BrokerSettings, spec: ChannelSpec, wanted: set[str]) -> list[str]:
    """Walk to the end and take what is wanted, a little later than it is seen; gives all assets in the order seen."""
    connection = connect(settings)
    walk = DeadLetterWalk(connection, spec)
    walk.begin(wait_s=5)
    seen: list[str] = []
    later: list[DeadLetter] = []

    def settle(letters: list[DeadLetter]) -> None:
        for letter in letters:
            (walk.take if letter.asset_id in wanted else walk.hold)(letter.tag)

    deadline = time.monotonic() + 60
    while not walk.at_end and time.monotonic() < deadline:
        letters = [DeadLetter.read(*found) for found in walk.turn(0.01)]
        settle(later)
        later = letters
        seen.extend(str(letter.asset_id) for letter in letters)
    settle(later)
    walk.end()
    connection.close()
    return seen


@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 0.9, 1.0])
def test_what_stays_keeps_its_order_whatever_share_is_taken_from_in_between(
    settings: BrokerSettings, spec: ChannelSpec, channel: BlockingChannel, share: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dead_letter_walk, "_MOST_PREFETCH", 64)  # many consumers follow each other
    buried = [event.asset_id for event in events(1500)]
    bury(settings, spec, events(1500))
    eventually(lambda: depth(channel, spec.dead_letter_queue) == 1500)
    wanted = set(random.Random(7).sample(buried, int(share * len(buried))))

    assert walk_and_take(settings, spec, wanted) == buried

    left = [asset for asset in buried if asset not in wanted]
    eventually(lambda: depth(channel, spec.dead_letter_queue) == len(left))
    assert [letter.asset_id for letter in survey(settings, spec)] == left
    assert assets(channel, spec.dead_letter_queue) == left


def test_what_dies_during_a_walk_is_none_of_it(
    settings: BrokerSettings, spec: ChannelSpec, channel: BlockingChannel
) -> None:
    bury(settings, spec, events(10))
    eventually(lambda: depth(channel, spec.dead_letter_queue) == 10)
    connection = connect(settings)
    walk = DeadLetterWalk(connection, spec)
    assert walk.begin(wait_s=5) == 10

    bury(settings, spec, events(30)[10:])
    found = []
    while not walk.at_end:
        found += walk.turn(0.01)
    for each in found:
        walk.hold(each.tag)
    walk.end()
    connection.close()

    assert len(found) == 10
    eventually(lambda: depth(channel, spec.dead_letter_queue) == 30)


def test_one_walk_at_a_time_and_the_next_begins_when_it_ends_or_its_process_dies(
    settings: BrokerSettings, spec: ChannelSpec, channel: BlockingChannel
) -> None:
    bury(settings, spec, events(5))
    eventually(lambda: depth(channel, spec.dead_letter_queue) == 5)
    connection = connect(settings)
    walk = DeadLetterWalk(connection, spec)
    walk.begin(wait_s=0)

    with pytest.raises(Busy, match=rf"{spec.dead_letter_queue}: another replay"):
        list(survey(settings, spec, wait_s=0))
    connection._impl._transport._sock.close()  # as if killed: nothing is said to the broker

    assert len(list(survey(settings, spec, wait_s=20))) == 5


def test_a_look_that_is_broken_off_puts_everything_back(
    settings: BrokerSettings, spec: ChannelSpec, channel: BlockingChannel
) -> None:
    bury(settings, spec, events(300))
    eventually(lambda: depth(channel, spec.dead_letter_queue) == 300)

    looking = survey(settings, spec)
    assert next(looking).asset_id == "a-0"
    looking.close()

    eventually(lambda: depth(channel, spec.dead_letter_queue) == 300)
    assert [letter.asset_id for letter in survey(settings, spec)] == [f"a-{number}" for number in range(300)]


def test_who_comes_right_behind_a_look_that_had_no_time_finds_everything(
    settings: BrokerSettings, spec: ChannelSpec, channel: BlockingChannel, monkeypatch: pytest.MonkeyPatch
) -> None:
    bury(settings, spec, events(3000))
    eventually(lambda: depth(channel, spec.dead_letter_queue) == 3000)
    monkeypatch.setattr(dead_letter_walk, "_REST_LIMIT_S", 0.0)  # so that all of it comes back at once, at the end

    looking = survey(settings, spec)
    for _ in range(1000):
        next(looking)
    looking.close()

    assert len({letter.asset_id for letter in survey(settings, spec)}) == 3000


def test_an_empty_queue_and_none_at_all_have_nothing_to_show(
    settings: BrokerSettings, spec: ChannelSpec, channel: BlockingChannel
) -> None:
    assert list(survey(settings, spec)) == []

    channel.queue_delete(spec.dead_letter_queue)

    assert list(survey(settings, spec)) == []


def test_messages_larger_than_a_frame_are_looked_at_too(
    settings: BrokerSettings, spec: ChannelSpec, channel: BlockingChannel
) -> None:
    for size in (0, 1, 131_064, 131_065, 1_000_000):
        channel.basic_publish("", spec.dead_letter_queue, b"x" * size, pika.BasicProperties(delivery_mode=2))
    eventually(lambda: depth(channel, spec.dead_letter_queue) == 5)

    letters = list(survey(settings, spec))

    assert [len(letter.body) for letter in letters] == [0, 1, 131_064, 131_065, 1_000_000]
    assert {letter.error_class for letter in letters} == {"InvalidEvent"}
