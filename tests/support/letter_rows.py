"""Dead letters as a walk finds them, without a broker."""

from datetime import UTC, datetime
from typing import Any

import pika

from mq_common.dead_letters import DeadLetter, GaveUp
from mq_common.events import MediaEvent

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)


def letter(
    asset: str = "a-1",
    reason: str = "rejected",
    error: str | None = "TransientError",
    *,
    hour: int = 8,
    replays: int = 0,
    body: bytes | None = None,
    **properties: Any,
) -> DeadLetter:
    """One that died at that hour of the first of March."""
    event = MediaEvent.create(asset_id=asset, owner_id="ada").model_copy(update={"event_id": f"e-{asset}"})
    headers = {"x-death": [{"reason": reason, "queue": "media.subtitle", "exchange": "media.topic", "count": 1,
                            "routing-keys": ["media.all"], "time": datetime(2026, 3, 1, hour, tzinfo=UTC)}],
               "replay-count": replays} | properties.pop("headers", {})  # fmt: skip
    given = pika.BasicProperties(headers=headers, **properties)
    read = DeadLetter.read(1, given, event.to_body() if body is None else body)
    if error is not None and body is None:
        read.gave_up = GaveUp(error, f"{asset} went wrong", 3, "subtitle-1", "2026-03-01T08:00:04.000Z")
    return read


def damaged() -> DeadLetter:
    """One whose properties nobody can read."""
    return DeadLetter.read(1, b"\x20", b"?")
