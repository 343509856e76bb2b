"""What the list's search asks for, as it stands in the address bar. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import parse_qs, urlencode, urlsplit

from console.assets.cards import TONES

#: Assets that one page of the list shows.
PAGE = 24

STATES = tuple(TONES)


@dataclass(frozen=True, slots=True)
class SearchForm:
    """The fields of the form, empty where nothing is asked, and where the page begins."""

    q: str = ""
    owner: str = ""
    state: str = ""
    cursor: str = ""

    @classmethod
    def from_query(cls, query: Mapping[str, str]) -> "SearchForm":
        """Read the address's query; a state that there is none of asks for nothing."""
        q, owner, state, cursor = (query.get(name, "").strip() for name in ("q", "owner", "state", "cursor"))
        return cls(q, owner, state if state in STATES else "", cursor)

    @property
    def searches(self) -> bool:
        """True when the list is narrowed."""
        return bool(self.q or self.owner or self.state)

    def for_ingest(self) -> dict[str, str]:
        """Give the query that ingest takes."""
        asked = {"q": self.q, "owner": self.owner, "state": self.state, "cursor": self.cursor}
        return {"limit": str(PAGE), "include": "status"} | {name: value for name, value in asked.items() if value}

    def more(self, ingest_next: str | None) -> str | None:
        """Give the address of the page that follows; ``ingest_next`` is ingest's own."""
        cursor = parse_qs(urlsplit(ingest_next or "").query).get("cursor")
        if not cursor:
            return None
        asked = {"q": self.q, "owner": self.owner, "state": self.state, "cursor": cursor[0]}
        return f"/assets?{urlencode({name: value for name, value in asked.items() if value})}"
