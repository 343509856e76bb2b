"""What became of each upload at the door, read from the load generator's own file."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from typing import Any

#: Problems after which nothing was taken: neither stored nor published. Any other 5xx leaves it open.
_NOTHING_TAKEN = frozenset({"broker-unavailable", "too-many-uploads", "outbox-full"})
_ACCEPTED = 202


class Verdict(Enum):
    """What the client may rely on."""

    ACCEPTED = "accepted"  # answered 202: it has to end in every channel
    REFUSED = "refused"  # nothing was taken: it must have no effect
    OPEN = "open"  # no answer, or one that leaves it open: it may have had its effect, once


@dataclass(frozen=True, slots=True)
class Upload:
    """One asset that a client sent, however often. ``event_id`` is what a 202 said."""

    asset_id: str
    verdict: Verdict
    event_id: str | None = None
    has_file: bool = False
    attempts: int = 1


def uploads_of(lines: Iterable[dict[str, Any]]) -> dict[str, Upload]:
    """Read the lines ("sent", "answered", "unanswered") into uploads by asset.

    Raises ValueError when two answers gave one asset two events: then the door itself broke its promise.
    """
    found: dict[str, Upload] = {}
    unanswered: dict[str, int] = {}
    for line in lines:
        asset = line.get("asset")
        if asset is None:
            continue  # a burst's line
        before = found.get(asset)
        if line["what"] == "sent":
            unanswered[asset] = unanswered.get(asset, 0) + 1
            if before is None:
                found[asset] = Upload(asset, Verdict.REFUSED, has_file=line["file"])
            else:
                found[asset] = _replaced(before, attempts=before.attempts + 1)
        elif line["what"] == "answered":
            unanswered[asset] -= 1
            found[asset] = _after_answer(found[asset], line)
    # What the generator sent and never wrote an answer for is open, whatever other attempts said.
    return {
        asset: _replaced(upload, verdict=Verdict.OPEN)
        if unanswered[asset] and upload.verdict is Verdict.REFUSED
        else upload
        for asset, upload in found.items()
    }


def _after_answer(upload: Upload, line: dict[str, Any]) -> Upload:
    status, event = line["status"], line.get("event")
    if status == _ACCEPTED:
        if upload.event_id not in (None, event):
            raise ValueError(f"asset {upload.asset_id} was accepted as event {upload.event_id} and as {event}")
        return _replaced(upload, verdict=Verdict.ACCEPTED, event_id=event)
    if upload.verdict is Verdict.ACCEPTED or verdict_of(status, line.get("problem", "")) is Verdict.REFUSED:
        return upload
    return _replaced(upload, verdict=Verdict.OPEN)


def verdict_of(status: int, problem: str) -> Verdict:
    """Give what one answer alone says."""
    if status == _ACCEPTED:
        return Verdict.ACCEPTED
    return Verdict.REFUSED if status < 500 or problem in _NOTHING_TAKEN else Verdict.OPEN


def _replaced(
    upload: Upload, *, verdict: Verdict | None = None, event_id: str | None = None, attempts: int | None = None
) -> Upload:
    return Upload(
        upload.asset_id,
        verdict or upload.verdict,
        event_id or upload.event_id,
        upload.has_file,
        attempts or upload.attempts,
    )
