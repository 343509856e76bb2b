"""One page of the list of assets."""

from dataclasses import dataclass
from datetime import datetime

from ingest.asset_index import Entry, Position
from ingest.asset_states import overall_status, read_states
from ingest.models import AssetPage, AssetSummary
from ingest.playback import find_playback
from ingest.problems import INVALID, Problem
from ingest.runtime import Runtime

#: Assets on a page.
DEFAULT_LIMIT, LARGEST_LIMIT = 50, 500


@dataclass(frozen=True, slots=True)
class Wish:
    """What a request wants of the list. ``with_state``: read each asset's channels too."""

    limit: int
    after: Position | None
    with_state: bool

    @classmethod
    def from_query(cls, query: dict[str, str]) -> "Wish":
        """Read the query. Raises Problem 422."""
        try:
            limit = int(query.get("limit", DEFAULT_LIMIT))
        except ValueError:
            limit = 0
        if not 1 <= limit <= LARGEST_LIMIT:
            raise Problem(INVALID, f"limit must be a number from 1 to {LARGEST_LIMIT}.")
        try:
            after = Position.from_text(query["cursor"]) if "cursor" in query else None
        except ValueError:
            raise Problem(INVALID, "cursor is not one that this list gave; follow the address in 'next'.") from None
        return cls(limit, after, query.get("include") == "status")

    def next_url(self, position: Position) -> str:
        """Give the path of the page after this position."""
        include = "&include=status" if self.with_state else ""
        return f"/media?limit={self.limit}&cursor={position.to_text()}{include}"


def list_assets(runtime: Runtime, wish: Wish) -> AssetPage:
    """Give the page, newest first."""
    runtime.index.flush()
    found: list[tuple[Entry, Position]] = []
    for item in runtime.index.newest_first(wish.after):
        found.append(item)
        if len(found) > wish.limit:
            break
    shown = found[: wish.limit]
    summaries = [_summary(runtime, entry, wish.with_state) for entry, _ in shown]
    # Entries that several processes gathered overlap by a fraction of a second.
    summaries.sort(key=lambda summary: summary.uploaded_at, reverse=True)
    return AssetPage(assets=summaries, next=wish.next_url(shown[-1][1]) if len(found) > wish.limit else None)


def _summary(runtime: Runtime, entry: Entry, with_state: bool) -> AssetSummary:
    asset_id = entry["assetId"]
    uploaded_at = datetime.fromisoformat(entry["uploadedAt"])
    states = read_states(runtime, asset_id, uploaded_at) if with_state else []
    return AssetSummary(
        asset_id=asset_id,
        owner_id=entry["ownerId"],
        uploaded_at=uploaded_at,
        file_name=entry.get("fileName"),
        size=entry.get("size"),
        url=f"/media/{asset_id}",
        status=overall_status(state.state for state in states) if with_state else None,
        poster=find_playback(asset_id, states).poster,
    )
