"""What somebody else puts straight into a channel's queue: a dead letter at once, and the next message is worked on."""

import zlib
from typing import Any

import pika
import pytest
from pika.adapters.blocking_connection import BlockingChannel

from mq_common.channels import ChannelSpec
from mq_common.events import EVENT_TYPE, MediaEvent
from mq_common.settings import BrokerSettings
from mq_workers import RecordingJob, eventually, take, working

GOOD = MediaEvent.create(asset_id="bad", owner_id="u").to_body()
#: A broker of version 4 takes 16 MiB a message at most.
LARGE = 15 * 1024 * 1024
#: AMQP's header frame holds 131,072 bytes at most, all properties together.
HEADERS_NEAR_THE_LIMIT = {f"h{number}": "x" * 1000 for number in range(129)}


pytestmark = pytest.mark.usefixtures("declared")


def properties(**more: Any) -> pika.BasicProperties:
    return pika.BasicProperties(delivery_mode=2, **more)


BAD: dict[str, tuple[bytes, pika.BasicProperties]] = {
    "empty": (b"", properties()),
    "a list": (b"[]", properties()),
    "a number": (b"7", properties()),
    "null": (b"null", properties()),
    "NaN": (GOOD.replace(b"null", b"NaN", 1), properties()),
    "not utf-8": (b"\xff\xfe", properties()),
    "utf-16": (GOOD.decode().encode("utf-16"), properties()),
    "deep": (b"[" * 10_000, properties()),
    "deep inside an unknown field": (b'{"x":' + b"[" * 10_000 + b"]" * 10_000 + b"}", properties()),
    "fields missing": (b'{"eventId":"x"}', properties()),
    "a field of another type": (GOOD.replace(b'"bad"', b'["bad"]'), properties()),
    "a path as asset": (GOOD.replace(b'"bad"', b'"../../etc"'), properties()),
    "an event id of 300 bytes": (b'{"eventId":"' + b"e" * 300 + b'",' + GOOD[GOOD.index(b'"assetId"') :], properties()),
    "large": (b"x" * LARGE, properties()),
    "packed": (zlib.compress(GOOD), properties(content_encoding="deflate")),
    "another type of event": (GOOD, properties(type="media.deleted")),
    "a version to come": (GOOD, properties(type=EVENT_TYPE, headers={"cloudEvents:specversion": "2.0"})),
    "headers near the limit": (b"", properties(headers=HEADERS_NEAR_THE_LIMIT)),
    "the longest message id": (b"{}", properties(message_id="m" * 255)),
}


def test_every_bad_message_is_a_dead_letter_once_and_untouched_and_the_next_one_is_worked_on(
    settings: BrokerSettings, spec: ChannelSpec, channel: BlockingChannel
) -> None:
    job = RecordingJob()
    with working(spec, job, settings):
        for name, (body, sent) in BAD.items():
            channel.basic_publish("", spec.queue, body, sent)
            good = MediaEvent.create(asset_id="good", owner_id="u")
            channel.basic_publish("", spec.queue, good.to_body(), properties())

            found, dead = take(channel, spec.dead_letter_queue)

            assert dead == body, name
            (death,) = found.headers["x-death"]
            assert (death["reason"], death["count"], death["queue"]) == ("rejected", 1, spec.queue), name
            assert found.message_id == sent.message_id, name
            assert all(found.headers[key] == value for key, value in (sent.headers or {}).items()), name
            eventually(lambda: job.ran == ["good"])
            job.ran.clear()
    assert job.failures == []
    assert channel.queue_declare(spec.queue, passive=True).method.message_count == 0


@pytest.mark.parametrize(
    "sent",
    [
        properties(headers=HEADERS_NEAR_THE_LIMIT),
        properties(message_id="m" * 255),
        properties(content_encoding="utf-8", type=EVENT_TYPE, headers={"cloudEvents:specversion": "1.1"}),
        pika.BasicProperties(),
    ],
    ids=["headers near the limit", "the longest message id", "everything said", "nothing said"],
)
def test_a_good_event_is_worked_on_however_its_properties_look(
    settings: BrokerSettings, spec: ChannelSpec, channel: BlockingChannel, sent: pika.BasicProperties
) -> None:
    channel.basic_publish("", spec.queue, MediaEvent.create(asset_id="good", owner_id="u").to_body(), sent)
    job = RecordingJob()

    with working(spec, job, settings):
        eventually(lambda: job.ran == ["good"])
    assert channel.queue_declare(spec.queue, passive=True).method.message_count == 0
    assert channel.queue_declare(spec.dead_letter_queue, passive=True).method.message_count == 0
