"""Idempotency keys: the same key and body give the same event and no second one, whichever process answers.

A record per key lives in the store, so it works across workers, replicas and restarts:

    pending      somebody is publishing the event right now, or died while doing so
    accepted     the event waits in the outbox; later requests only repeat the answer
    unconfirmed  the publish ended without a confirm; the next request may try again at once
    confirmed    the event is with the broker; later requests only repeat the answer
"""

import re
import time
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Literal

import structlog

from ingest.problems import KEY_REUSED, MALFORMED, STORE_UNAVAILABLE, Problem
from media_common.errors import StoreError
from media_common.store import MediaStore
from mq_common.events import MediaEvent

log = structlog.get_logger()

State = Literal["pending", "accepted", "unconfirmed", "confirmed"]

#: The states of an upload that was answered 202.
_ACCEPTED: frozenset[State] = frozenset(("accepted", "confirmed"))

#: RFC 9110 field content; the key itself is only hashed, so any visible text will do.
_KEY = re.compile(r"[\x21-\x7e\x80-\xff](?:[\t\x20-\x7e\x80-\xff]{0,253}[\x21-\x7e\x80-\xff])?")

_POLL_S = 0.02


@dataclass(frozen=True, slots=True)
class Record:
    """What is known of a key: the upload it stood for, its event, and how far that got."""

    fingerprint: str
    event: MediaEvent
    state: State
    #: Unix time in seconds.
    created_at: float

    def to_json(self) -> dict[str, Any]:
        """Give the stored form."""
        return {
            "fingerprint": self.fingerprint,
            "event": self.event.model_dump(mode="json", by_alias=True),
            "state": self.state,
            "createdAt": self.created_at,
        }

    @property
    def accepted(self) -> bool:
        """True when the upload was answered 202."""
        return self.state in _ACCEPTED

    @classmethod
    def from_json(cls, stored: dict[str, Any]) -> "Record":
        """Read the stored form."""
        event = MediaEvent.model_validate(stored["event"])
        return cls(stored["fingerprint"], event, stored["state"], float(stored["createdAt"]))


def key_of_header(header: str | None) -> str | None:
    """Read the Idempotency-Key header, with or without the quotes of the IETF draft. Raises Problem 400."""
    if header is None:
        return None
    text = header.strip()
    if len(text) > 1 and text.startswith('"') and text.endswith('"'):
        text = text[1:-1]
    if not _KEY.fullmatch(text):
        raise Problem(MALFORMED, "Idempotency-Key must have 1 to 255 visible characters, such as a UUID.")
    return text


def fingerprint_of(event: MediaEvent, *, asset_id_given: bool) -> str:
    """Give what makes two uploads the same: the bytes and what was said about them, not how they were sent."""
    source = event.source
    parts = (
        event.asset_id if asset_id_given else "",
        event.owner_id,
        repr(event.duration_sec),
        source.sha256 if source else "",
        str(source.size) if source else "",
    )
    return sha256("\n".join(parts).encode()).hexdigest()


class IdempotencyRecords:
    """The records in the store. ``patience_s`` is how long one request waits for another that is under way."""

    def __init__(self, store: MediaStore, *, patience_s: float) -> None:
        self._store = store
        self._patience_s = patience_s

    def find(self, key: str) -> Record | None:
        """Give the key's record, None when the key is new."""
        stored = self._store.get_json(_record_key(key))
        return Record.from_json(stored) if stored is not None else None

    def is_announced(self, key: str) -> bool:
        """Tell whether the key's upload was accepted before; False too while the store can't tell."""
        try:
            record = self.find(key)
        except StoreError:
            return False
        return record is not None and record.accepted

    def claim(self, key: str, fingerprint: str, event: MediaEvent) -> Record:
        """Take the key for this event, or give the record of whoever took it first, once that one has ended.

        Raises Problem 422 when the key was taken for another upload.
        """
        ours = Record(fingerprint, event, "pending", time.time())
        durable = event.source is not None
        if self._store.put_json(_record_key(key), ours.to_json(), if_absent=True, durable=durable):
            return ours
        theirs = self._still_there(key)
        if theirs.fingerprint != fingerprint:
            raise Problem(
                KEY_REUSED,
                "This Idempotency-Key belongs to an upload with other content or fields; a new upload needs a new key.",
            )
        return self._once_ended(key, theirs)

    def settle(self, key: str, record: Record, state: State) -> None:
        """Write down how the publish ended, and which event the key stands for.

        A store that fails now changes nothing of how it ended, so that is only logged: the record stays pending, and a
        repetition, after it has waited, publishes the same event again.
        """
        settled = Record(record.fingerprint, record.event, state, record.created_at)
        try:
            self._store.put_json(_record_key(key), settled.to_json())
        except StoreError as error:
            log.warning("idempotency_record_not_settled", event_id=record.event.event_id, state=state, error=str(error))

    def release(self, key: str, record: Record) -> bool:
        """Forget a key whose upload left nothing in the store. False: too late, somebody may be going on with it."""
        if time.time() > record.created_at + self._patience_s / 2:
            return False
        try:
            self._store.delete(_record_key(key))
        except StoreError:
            return False
        return True

    def _once_ended(self, key: str, record: Record) -> Record:
        """Wait while the other request may still be publishing; after that it is dead, and its event is ours."""
        while record.state == "pending" and time.time() < record.created_at + self._patience_s:
            time.sleep(_POLL_S)
            record = self._still_there(key)
        return record

    def _still_there(self, key: str) -> Record:
        """Give the record of an upload that came first, or raise Problem 503 when it has been given up meanwhile."""
        record = self.find(key)
        if record is None:
            raise Problem(
                STORE_UNAVAILABLE,
                "Another upload under this Idempotency-Key was given up just now, because the store has no room. "
                "Nothing was accepted; send it again.",
            )
        return record


def _record_key(key: str) -> str:
    return f"idempotency/{sha256(key.encode('latin-1', 'replace')).hexdigest()}.json"
