"""One page of the list of assets, or of what a search finds in it."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import urlencode

from ingest.asset_index import Entry, Listed, Position
from ingest.asset_search import Effort, Search
from ingest.asset_states import find_asset, overall_status, read_states
from ingest.models import AssetPage, AssetSummary, ChannelBrief
from ingest.playback import find_playback
from ingest.problems import INVALID, Problem
from ingest.runtime import Runtime
from media_common import layout
from media_common.states import ChannelState
from mq_common.events import MediaEvent

#: Assets on a page.
DEFAULT_LIMIT, LARGEST_LIMIT = 50, 500

#: Assets that can be asked for by their ids at once.
MOST_IDS = 200


@dataclass(frozen=True, slots=True)
class Wish:
    """What a request wants of the list. ``with_state``: read each asset's channels too. ``ids``: these, if any."""

    limit: int
    after: Position | None
    with_state: bool
    search: Search
    ids: tuple[str, ...] = ()

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
        ids = tuple(dict.fromkeys(filter(None, query.get("ids", "").split(","))))
        if len(ids) > MOST_IDS:
            raise Problem(INVALID, f"ids may name at most {MOST_IDS} assets.")
        return cls(limit, after, query.get("include") == "status", Search.from_query(query), ids)

    def next_url(self, position: Position) -> str:
        """Give the path of the page after this position."""
        query = {"limit": str(self.limit), "cursor": position.to_text()}
        query |= {"include": "status"} if self.with_state else {}
        return f"/media?{urlencode(query | self.search.to_query(), safe=':/')}"


def list_assets(runtime: Runtime, wish: Wish, effort: Effort | None = None) -> AssetPage:
    """Give the page, newest first. A search that has looked at enough answers with what it has found until then."""
    if wish.ids:
        return AssetPage(assets=list(_named(runtime, wish)), next=None)
    runtime.index.flush()
    page = _Page(runtime, wish, effort or Effort())
    page.fill()
    # Entries that several processes gathered overlap by a fraction of a second.
    assets = sorted(page.found, key=lambda summary: summary.uploaded_at, reverse=True)
    return AssetPage(assets=page.exact + assets, next=page.next_url, searched_until=page.searched_until)


class _Page:
    """A page while it is filled."""

    def __init__(self, runtime: Runtime, wish: Wish, effort: Effort) -> None:
        self._runtime, self._wish, self._effort = runtime, wish, effort
        self.exact: list[AssetSummary] = []
        self.found: list[AssetSummary] = []
        self.next_url: str | None = None
        self.searched_until: datetime | None = None

    def fill(self) -> None:
        wish, effort = self._wish, self._effort
        if wish.after is None:
            self._find_exactly()
        searches = not wish.search.wants_all
        last: Listed | None = None
        for listed in self._runtime.index.newest_first(wish.after, wish.search.may_match):
            # Each page goes on by one entry at least, however slow the store is.
            if last is not None and (len(self.found) >= wish.limit or (searches and effort.is_spent)):
                self.next_url = wish.next_url(last.position)
                self.searched_until = datetime.fromisoformat(last.uploaded_at) if searches else None
                return
            effort.look()
            if listed.entry is not None:
                self._take(listed.entry)
            last = listed

    def _find_exactly(self) -> None:
        """Find an asset whose whole id is searched for, however far back in the list it is."""
        search = self._wish.search
        if search.asset_id is None:
            return
        try:
            event = find_asset(self._runtime, search.asset_id)
        except Problem:
            return
        if search.owner in (None, event.owner_id):
            self._add(_entry_of(event), self.exact)

    def _take(self, entry: Entry) -> None:
        search = self._wish.search
        # The one whose whole id is asked for is on the first page already.
        if search.has_prefix(entry["assetId"]) and entry["assetId"] != search.asset_id:
            self._add(entry, self.found)

    def _add(self, entry: Entry, to: list[AssetSummary]) -> None:
        wish = self._wish
        states = None
        if wish.with_state or wish.search.state is not None:
            self._effort.read()
            states = _states(self._runtime, entry)
            if wish.search.state not in (None, overall_status(state.state for state in states)):
                return
        to.append(_summary(entry, states if wish.with_state else None))


def _named(runtime: Runtime, wish: Wish) -> Iterable[AssetSummary]:
    """Give the assets that were asked for by id, in that order; those that are not there are left out."""
    for asset_id in wish.ids:
        if layout.is_asset_id(asset_id):
            try:
                entry = _entry_of(find_asset(runtime, asset_id))
            except Problem:
                continue
            yield _summary(entry, _states(runtime, entry) if wish.with_state else None)


def _entry_of(event: MediaEvent) -> Entry:
    entry: Entry = {"assetId": event.asset_id, "ownerId": event.owner_id, "uploadedAt": event.uploaded_at.isoformat()}
    if event.source is not None:
        entry |= {"fileName": event.source.file_name, "size": event.source.size}
    return entry


def _moment(entry: Entry) -> datetime:
    return datetime.fromisoformat(entry["uploadedAt"])


def _states(runtime: Runtime, entry: Entry) -> list[ChannelState]:
    return read_states(runtime, entry["assetId"], _moment(entry))


def _summary(entry: Entry, states: list[ChannelState] | None) -> AssetSummary:
    asset_id = entry["assetId"]
    return AssetSummary(
        asset_id=asset_id,
        owner_id=entry["ownerId"],
        uploaded_at=_moment(entry),
        file_name=entry.get("fileName"),
        size=entry.get("size"),
        url=f"/media/{asset_id}",
        status=None if states is None else overall_status(state.state for state in states),
        channels=None if states is None else {state.channel: _brief(state) for state in states},
        poster=find_playback(asset_id, states or []).poster,
    )


def _brief(state: ChannelState) -> ChannelBrief:
    return ChannelBrief(state=state.state, percent=state.percent, step=state.step)
