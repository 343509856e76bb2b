"""An asset as its page shows it, read from ingest's JSON. Pure."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from console.assets.addresses import asset_page, file_address
from console.assets.cards import ENDED, TONES
from console.assets.way import Way, axis_s, ticks, way_of
from console.channel_marks import channel_marks

Json = Mapping[str, Any]

#: Parts of a stream, which nobody saves one by one.
_PIECES = (".m4s", ".ts", ".m3u8")


@dataclass(frozen=True, slots=True)
class Download:
    """A file that a channel made; ``size`` in bytes."""

    name: str
    address: str
    size: int


@dataclass(frozen=True, slots=True)
class ChannelDetails:
    """What one channel did. ``pieces``: the parts of its streams, by count and bytes together."""

    name: str
    mark: int
    state: str
    percent: float | None
    step: str | None
    elapsed_s: float | None
    error: Json
    way: Way
    downloads: tuple[Download, ...]
    pieces: int
    pieces_size: int

    @property
    def tone(self) -> str:
        """The tone of its badge."""
        return TONES.get(self.state, "idle")


@dataclass(frozen=True, slots=True)
class Playback:
    """What the player needs: addresses on this host. ``version`` changes when the playlist grows."""

    hls: str | None
    poster: str | None
    storyboard: str | None
    version: str


@dataclass(frozen=True, slots=True)
class AssetDetails:
    """The asset with all its channels. ``source``: ingest's own words on the uploaded file, None for simulated load."""

    asset_id: str
    event_id: str
    owner: str
    title: str
    duration_s: float | None
    uploaded_at: datetime
    status: str
    source: Json | None
    source_address: str
    channels: tuple[ChannelDetails, ...]
    playback: Playback
    axis_s: float

    @property
    def tone(self) -> str:
        """The tone of its badge."""
        return TONES.get(self.status, "idle")

    @property
    def has_ended(self) -> bool:
        """True when no channel will go on by itself."""
        return bool(self.channels) and all(channel.state in ENDED for channel in self.channels)

    @property
    def ticks(self) -> list[float]:
        """Round moments on the axis of the channels' ways, in seconds since the upload."""
        return ticks(self.axis_s)


def details_of(asset: Json, known_channels: Iterable[str], *, now: datetime) -> AssetDetails:
    """Read the asset. ``known_channels`` come first, in their order."""
    channels: Json = asset.get("channels") or {}
    marks = channel_marks(dict.fromkeys([*known_channels, *channels]))
    read = tuple(_channel(name, marks[name], channel, now) for name, channel in channels.items())
    uploaded_at = datetime.fromisoformat(str(asset["uploadedAt"]))
    asset_id, source = str(asset["assetId"]), asset.get("source")
    return AssetDetails(
        asset_id=asset_id,
        event_id=str(asset["eventId"]),
        owner=str(asset["ownerId"]),
        title=(source or {}).get("fileName") or asset_id,
        duration_s=asset.get("durationSec"),
        uploaded_at=uploaded_at,
        status=str(asset["status"]),
        source=source,
        source_address=f"{asset_page(asset_id)}/source",
        channels=read,
        playback=_playback(asset.get("playback") or {}),
        axis_s=axis_s([channel.way for channel in read], now_s=(now - uploaded_at).total_seconds()),
    )


def _channel(name: str, mark: int, channel: Json, now: datetime) -> ChannelDetails:
    outputs = channel.get("outputs") or []
    pieces = [output for output in outputs if _is_piece(str(output["name"]))]
    return ChannelDetails(
        name=name,
        mark=mark,
        state=str(channel.get("state")),
        percent=channel.get("percent"),
        step=channel.get("step"),
        elapsed_s=channel.get("elapsedSec"),
        error=channel.get("error") or {},
        way=way_of(channel.get("events") or [], now=now),
        downloads=tuple(
            Download(str(output["name"]), file_address(output["url"]), output.get("size") or 0)
            for output in outputs
            if not _is_piece(str(output["name"]))
        ),
        pieces=len(pieces),
        pieces_size=sum(output.get("size") or 0 for output in pieces),
    )


def _is_piece(name: str) -> bool:
    return name.endswith(_PIECES) or name.rpartition("/")[2].startswith(("init", "segment"))


def _playback(playback: Json) -> Playback:
    hls, poster, storyboard = (playback.get(name) for name in ("hls", "poster", "storyboard"))
    return Playback(
        hls=file_address(hls) if hls else None,
        poster=file_address(poster) if poster else None,
        storyboard=file_address(storyboard) if storyboard else None,
        version=f"{hls} {len(playback.get('subtitles') or ())}",
    )
