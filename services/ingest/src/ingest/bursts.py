"""A burst: simulated assets by the thousand, known by one record instead of one each.

A record per asset would cost the store more than the broker needs for the events, so ``bursts/<burstId>.json`` says
whose, when and how many, and an asset's id says which burst and which number: `GET /media/<assetId>` is the same
as for any other asset.
"""

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from uuid_utils import uuid7

from mq_common.events import MediaEvent

_ASSET_ID = re.compile(r"(burst-[0-9a-f]{32})-(\d{6})")


def burst_asset_id(burst_id: str, number: int) -> str:
    """Give the id of the burst's asset with this number, from 1."""
    return f"{burst_id}-{number:06d}"


def burst_of(asset_id: str) -> tuple[str, int] | None:
    """Read burst id and number out of an asset's id; None when it is not a burst's."""
    found = _ASSET_ID.fullmatch(asset_id)
    return (found[1], int(found[2])) if found else None


def burst_key(burst_id: str) -> str:
    """Give the key of the burst's record in the store."""
    return f"bursts/{burst_id}.json"


@dataclass(frozen=True, slots=True)
class Burst:
    """Whose, when and how many."""

    burst_id: str
    owner_id: str
    count: int
    uploaded_at: datetime

    @classmethod
    def create(cls, owner_id: str, count: int) -> "Burst":
        """Make a new burst, of now."""
        return cls(f"burst-{uuid7().hex}", owner_id, count, datetime.now(UTC))

    def event(self, number: int) -> MediaEvent:
        """Give the event of one asset: always the same one, with an id made from the burst's."""
        digits = self.burst_id.removeprefix("burst-")[:24] + f"{number:08x}"
        event_id = "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))
        return MediaEvent(
            event_id=event_id,
            asset_id=burst_asset_id(self.burst_id, number),
            owner_id=self.owner_id,
            uploaded_at=self.uploaded_at,
        )

    def to_json(self) -> dict[str, Any]:
        """Give the stored form, which is also the burst's entry in the list of assets."""
        return {
            "burstId": self.burst_id,
            "ownerId": self.owner_id,
            "count": self.count,
            "uploadedAt": self.uploaded_at.isoformat().replace("+00:00", "Z"),
        }

    @classmethod
    def from_json(cls, stored: dict[str, Any]) -> "Burst":
        """Read the stored form."""
        return cls(stored["burstId"], stored["ownerId"], stored["count"], datetime.fromisoformat(stored["uploadedAt"]))
