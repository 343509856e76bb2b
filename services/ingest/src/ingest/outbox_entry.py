"""An event that waits to be published, as it lies in the store."""

from dataclasses import dataclass, replace

from pydantic import BaseModel

from mq_common.events import MediaEvent
from mq_common.publisher import Outcome

#: What the relay publishes, and what is being published by an upload right now. Names sort by the upload's time,
#: because an event's id is a UUIDv7; the same event has the same name, so it can't wait twice.
WAITING, INTENTS = "outbox/", "intents/"


def waiting_key(event_id: str) -> str:
    """Give the key of the entry of an event that waits for the relay."""
    return f"{WAITING}{event_id}.json"


def intent_key(event_id: str) -> str:
    """Give the key of the entry of an event that its upload is announcing."""
    return f"{INTENTS}{event_id}.json"


@dataclass(frozen=True, slots=True)
class Entry:
    """The event and its trace. ``refused`` is how the broker refused it, if it did: the client got an error then."""

    event: MediaEvent
    traceparent: str | None = None
    refused: Outcome | None = None

    def of_refusal(self, outcome: Outcome) -> "Entry":
        """Give the entry of an event that the broker has refused."""
        return replace(self, refused=outcome)

    def to_body(self) -> bytes:
        """Give the stored form."""
        return _Stored.model_validate(self, from_attributes=True).model_dump_json(by_alias=True).encode()

    @classmethod
    def from_body(cls, body: bytes) -> "Entry":
        """Read the stored form. Raises ValueError."""
        stored = _Stored.model_validate_json(body)
        return cls(stored.event, stored.traceparent, stored.refused)


class _Stored(BaseModel):
    event: MediaEvent
    traceparent: str | None = None
    refused: Outcome | None = None
