"""Dead letters of every kind that an operator meets, as workers and strangers make them."""

import json
from typing import Any

import pika
from pika.adapters.blocking_connection import BlockingChannel

from dead_letters import bury, kill, message_to, publish, reject
from media_common.layout import failure_key
from media_common.media_store import MediaStore
from mq_common.channels import ChannelSpec
from mq_common.events import MediaEvent
from mq_common.settings import BrokerSettings
from mq_workers import depth, eventually

#: What somebody sends who wants the operator's browser to run it.
SCRIPT = "<script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\">"


def write_failure(
    store: MediaStore, event: MediaEvent, spec: ChannelSpec, error: str, message: str, **more: Any
) -> None:
    """Leave word as a worker does that gives up."""
    record = {
        "eventId": event.event_id,
        "reason": "rejected",
        "errorClass": error,
        "message": message,
        "attempts": 3,
        "worker": f"{spec.name}-1",
        "failedAt": "2026-03-01T08:00:04.000Z",
    }
    store.put_json(failure_key(event.asset_id, spec.name), record | more)


def transient(
    settings: BrokerSettings,
    spec: ChannelSpec,
    channel: BlockingChannel,
    store: MediaStore,
    count: int,
    name: str = "clip",
) -> list[MediaEvent]:
    """Let a provider fail for good."""
    dying = [MediaEvent.create(asset_id=f"{name}-{number:04}", owner_id="ada") for number in range(count)]
    for event in dying:
        write_failure(store, event, spec, "TransientError", f"{spec.name} provider answered 503 for {event.asset_id}")
    kill(settings, spec, channel, dying)
    return dying


def lost_workers(
    settings: BrokerSettings, spec: ChannelSpec, channel: BlockingChannel, store: MediaStore, count: int
) -> list[MediaEvent]:
    """Let messages come back from their workers until the broker has enough of it."""
    dying = [MediaEvent.create(asset_id=f"heavy-{number}", owner_id="grace") for number in range(count)]
    there = depth(channel, spec.dead_letter_queue)
    for event in dying:
        message = "Every worker that had this message died or lost its connection before the work was done."
        write_failure(store, event, spec, "WorkerLost", message, reason="delivery_limit", attempts=None)
    publish(settings, [message_to(spec.queue, event) for event in dying])
    for _ in range((spec.delivery_limit + 1) * count):
        method = _next(channel, spec.queue)
        channel.basic_reject(method.delivery_tag, requeue=True)
    eventually(lambda: depth(channel, spec.dead_letter_queue) == there + count)
    return dying


def hostile(spec: ChannelSpec, channel: BlockingChannel) -> int:
    """Let strangers publish to the queue what no worker can read; gives how many."""
    bodies = [
        (SCRIPT.encode(), {"message_id": "script-1", "headers": {SCRIPT: SCRIPT, "n": 7}}),
        (bytes(range(256)) * 40, {"message_id": "binary-1", "content_type": "application/octet-stream"}),
        (json.dumps({"assetId": SCRIPT, "deep": [[[1]]], "long": "x" * 200_000}).encode(), {"message_id": "long-1"}),
        ("a\u202egpj.exe \u200b".encode(), {}),
        (b"", {"message_id": "empty-1"}),
        (b"[" * 5000, {"message_id": "deep-1", "headers": {"deep": {"a": {"b": [1, {"c": b"\x00\xff"}]}}}}),
    ]
    there = depth(channel, spec.dead_letter_queue)
    for body, properties in bodies:
        channel.basic_publish("", spec.queue, body, pika.BasicProperties(delivery_mode=2, **properties))
    reject(channel, spec.queue, len(bodies))
    eventually(lambda: depth(channel, spec.dead_letter_queue) == there + len(bodies))
    return len(bodies)


def replayed_often(settings: BrokerSettings, spec: ChannelSpec, count: int, replays: int) -> None:
    """Bury messages that were put back before."""
    headers = {
        "replay-count": replays,
        "original-reason": "rejected",
        "first-failed-at": "2026-02-28T22:10:00Z",
        "replay-run": "5d0f0c1b2a39",
    }
    dying = [MediaEvent.create(asset_id=f"again-{number}", owner_id="lin") for number in range(count)]
    bury(settings, spec, dying, headers=lambda _: headers)
    # what is buried has no death headers of the broker's


def _next(channel: BlockingChannel, queue: str) -> Any:
    found: list[Any] = []

    def took() -> bool:
        method, _, _ = channel.basic_get(queue)
        if method is not None:
            found.append(method)
        return bool(found)

    eventually(took)
    return found[0]
