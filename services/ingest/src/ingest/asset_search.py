"""Which assets a request for the list wants, and how much work it may cost. Pure but for the clock."""

import time
from dataclasses import dataclass
from typing import get_args

from ingest.asset_index import Entry
from ingest.models import Status
from ingest.problems import INVALID, Problem
from media_common import layout

#: Longest owner that can have uploaded anything.
_MOST_OWNER_CHARS = 128


@dataclass(frozen=True, slots=True)
class Search:
    """What the assets have to be like; None: anything will do.

    asset_id: how their ids begin. owner: whose they are, exactly. state: their status.
    """

    asset_id: str | None = None
    owner: str | None = None
    state: Status | None = None

    @classmethod
    def from_query(cls, query: dict[str, str]) -> "Search":
        """Read ``q``, ``owner`` and ``state``; an empty one asks for nothing. Raises Problem 422."""
        asset_id, owner, state = (query.get(name) or None for name in ("q", "owner", "state"))
        if asset_id is not None and not layout.is_asset_id(asset_id):
            raise Problem(INVALID, "q must be the beginning of an asset's id: letters, digits, dot, dash, underscore.")
        if owner is not None and len(owner) > _MOST_OWNER_CHARS:
            raise Problem(INVALID, f"owner must have at most {_MOST_OWNER_CHARS} characters.")
        for known in get_args(Status):
            if state == known:
                return cls(asset_id, owner, known)
        if state is not None:
            raise Problem(INVALID, f"state must be one of {', '.join(get_args(Status))}.")
        return cls(asset_id, owner)

    @property
    def wants_all(self) -> bool:
        """True when nothing is searched for."""
        return self == Search()

    def to_query(self) -> dict[str, str]:
        """Give the query that asks for this."""
        asked = {"q": self.asset_id, "owner": self.owner, "state": self.state}
        return {name: value for name, value in asked.items() if value}

    def may_match(self, stored: Entry) -> bool:
        """Tell whether what the list says of an asset, or of a whole burst, lets it in: all but its state."""
        if self.owner is not None and stored["ownerId"] != self.owner:
            return False
        if self.asset_id is None:
            return True
        if (burst_id := stored.get("burstId")) is not None:
            prefix = f"{burst_id}-"
            return prefix.startswith(self.asset_id) or self.asset_id.startswith(prefix)
        return self.has_prefix(stored["assetId"])

    def has_prefix(self, asset_id: str) -> bool:
        """Tell whether the id begins as it should."""
        return self.asset_id is None or asset_id.startswith(self.asset_id)


class Effort:
    """How much one request may look at: ``entries`` of the list, ``states`` of assets, ``seconds``."""

    def __init__(self, *, entries: int = 20_000, states: int = 500, seconds: float = 1.0) -> None:
        self._entries, self._states = entries, states
        self._until = time.monotonic() + seconds

    def look(self) -> None:
        """Note that an entry was looked at."""
        self._entries -= 1

    def read(self) -> None:
        """Note that an asset's channels were read."""
        self._states -= 1

    @property
    def is_spent(self) -> bool:
        """True when the request should answer with what it has."""
        return self._entries <= 0 or self._states <= 0 or time.monotonic() >= self._until
