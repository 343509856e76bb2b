"""One action that somebody took."""

from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime

import orjson
from uuid_utils import uuid7

_TEXTS = ("who", "action", "channel", "detail", "outcome")


@dataclass(frozen=True, slots=True)
class AuditEntry:
    """Who (the name given at login) did what (``pause``, ``replay``, …), on which channel, and what came of it.

    ``channel``: empty for all of them. ``id`` is a UUIDv7, so entries of several consoles sort by time.
    """

    who: str
    action: str
    channel: str = ""
    detail: str = ""
    outcome: str = "done"
    at: datetime = field(default_factory=lambda: datetime.now(UTC))
    id: str = field(default_factory=lambda: str(uuid7()))

    def to_json(self) -> bytes:
        """Write it down."""
        return orjson.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: bytes) -> "AuditEntry":
        """Read what `to_json` wrote. Raises ValueError for anything else."""
        try:
            members = orjson.loads(text)
            texts = {name: str(members[name]) for name in _TEXTS}
            return cls(**texts, at=datetime.fromisoformat(members["at"]), id=str(members["id"]))
        except (KeyError, TypeError) as error:
            raise ValueError(f"no audit entry: {error}") from None
