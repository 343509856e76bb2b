"""Fills the dead-letter queue of the bench channel as rejected events would: COUNT, and STORE for their failures."""

import json
import sys
import time
from datetime import UTC, datetime
from pathlib import Path

from mediaflow_bench.programs.consume_ours import bench_channel
from mediaflow_bench.programs.outcome import tell
from mq_common.connection import connect
from mq_common.events import MediaEvent
from mq_common.messages import Outcome, OutgoingMessage, event_message
from mq_common.publisher import ConfirmingPublisher
from mq_common.settings import BrokerSettings
from mq_common.topology import declare_topology

TRACE = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"


def main(count: int, store: Path | None) -> None:
    """Publish straight to the dead-letter queue, with a death among the headers."""
    spec, settings = bench_channel(), BrokerSettings()
    declare_topology(settings, [spec])
    connection = connect(settings, "bench")
    connection.channel().queue_purge(spec.queue)
    death = {"reason": "rejected", "queue": spec.queue, "count": 1, "time": datetime.now(UTC).replace(tzinfo=None)}
    publisher = ConfirmingPublisher(settings, confirm_timeout=60)
    futures = []
    for number in range(count):
        event = MediaEvent.create(asset_id=f"bench-{number}", owner_id="u-1", duration_sec=120)
        message = event_message(event, traceparent=TRACE)
        message.properties.headers |= {"x-death": [death], "x-first-death-reason": "rejected"}
        futures.append(publisher.submit(OutgoingMessage("", spec.dead_letter_queue, message.body, message.properties)))
        if store is not None:
            _write_down(store, event)
    confirmed = sum(future.result() is Outcome.CONFIRMED for future in futures)
    publisher.close()
    _await(connection.channel(), spec.dead_letter_queue, count)
    connection.close()
    tell(confirmed=confirmed)


def _write_down(store: Path, event: MediaEvent) -> None:
    folder = store / "assets" / event.asset_id / "bench"
    folder.mkdir(parents=True, exist_ok=True)
    failure = {"eventId": event.event_id, "reason": "rejected", "errorClass": "ToolFailed", "message": "it failed"}
    (folder / "failure.json").write_text(json.dumps(failure | {"failedAt": "2026-03-01T08:00:04.000Z"}))


def _await(channel: object, queue: str, count: int) -> None:
    while channel.queue_declare(queue, passive=True).method.message_count < count:  # type: ignore[attr-defined]
        time.sleep(0.05)


if __name__ == "__main__":
    main(int(sys.argv[1]), Path(sys.argv[2]) if len(sys.argv) > 2 else None)
