"""Assets as the list shows them, read from ingest's JSON. Pure."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from console.assets.addresses import asset_page, file_address
from console.channel_marks import channel_marks

Json = Mapping[str, Any]

#: How a channel's state looks: the tone of a badge.
TONES = {"queued": "idle", "running": "busy", "done": "good", "dead-lettered": "bad"}

#: States in which nothing happens any more by itself.
ENDED = frozenset({"done", "dead-lettered"})


@dataclass(frozen=True, slots=True)
class ChannelChip:
    """Where one channel is: ``percent`` 0-100 while it runs and knows."""

    name: str
    mark: int
    state: str
    percent: float | None

    @property
    def tone(self) -> str:
        """The tone of its badge."""
        return TONES.get(self.state, "idle")


@dataclass(frozen=True, slots=True)
class Card:
    """An asset in the list. ``poster``: an address on this host."""

    asset_id: str
    owner: str
    title: str
    uploaded_at: datetime
    size: int | None
    status: str
    channels: tuple[ChannelChip, ...]
    poster: str | None
    simulated: bool

    @property
    def page(self) -> str:
        """The address of its page."""
        return asset_page(self.asset_id)

    @property
    def tone(self) -> str:
        """The tone of its badge."""
        return TONES.get(self.status, "idle")

    @property
    def has_ended(self) -> bool:
        """True when no channel will go on by itself."""
        return bool(self.channels) and all(channel.state in ENDED for channel in self.channels)


def cards_of(page: Json, known_channels: Iterable[str]) -> list[Card]:
    """Read a page of the list. ``known_channels`` come first, in their order."""
    found = [name for asset in page.get("assets", ()) for name in asset.get("channels") or ()]
    marks = channel_marks(dict.fromkeys([*known_channels, *found]))
    return [_card(asset, marks) for asset in page.get("assets", ())]


def chips_of(channels: Json, marks: Mapping[str, int]) -> tuple[ChannelChip, ...]:
    """Read the channels of an asset."""
    return tuple(
        ChannelChip(name, marks[name], str(channel.get("state")), channel.get("percent"))
        for name, channel in channels.items()
    )


def _card(asset: Json, marks: Mapping[str, int]) -> Card:
    asset_id = str(asset["assetId"])
    return Card(
        asset_id=asset_id,
        owner=str(asset["ownerId"]),
        title=asset.get("fileName") or asset_id,
        uploaded_at=datetime.fromisoformat(str(asset["uploadedAt"])),
        size=asset.get("size"),
        status=str(asset.get("status") or "queued"),
        channels=chips_of(asset.get("channels") or {}, marks),
        poster=file_address(asset["poster"]) if asset.get("poster") else None,
        simulated=asset.get("size") is None,
    )
