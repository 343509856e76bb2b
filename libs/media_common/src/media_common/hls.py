"""The multivariant playlist (RFC 8216, section 4.3.4), put together from what the channels committed.

Channels finish in any order and do not wait for each other, so each leaves its part in its result
(``details.hls``) and then publishes the whole from what is there.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from media_common.content_types import content_type_of
from media_common.errors import StoreError
from media_common.layout import output_key, result_key
from media_common.media_store import MediaStore
from media_common.states import channels_of
from media_common.track_names import unused

#: The playlist's name in the folder of the channel that makes the variants.
MASTER = "master.m3u8"

_AUDIO, _SUBTITLES = "audio", "subtitles"
#: Each round ends sooner unless another channel commits in the middle of it.
_ROUNDS = 20
_SEGMENT_LENGTH = re.compile(r"^#EXTINF:([0-9.]+)", re.MULTILINE)

Part = Mapping[str, Any]


def publish_master(store: MediaStore, asset_id: str, master_channel: str) -> None:
    """Write the asset's master playlist from what is committed; without variants, nothing.

    Safe to run again, and at the same time as another worker does: it reads again after writing, until
    what is stored is what is committed. So the last to look always leaves the whole. Raises StoreError.
    """
    key = output_key(asset_id, master_channel, MASTER)
    for _ in range(_ROUNDS):
        playlist = render_master(_committed_parts(store, asset_id), master_channel)
        if playlist is None or store.get_bytes(key) == playlist.encode():
            return
        store.put_bytes(key, playlist.encode(), content_type=content_type_of(MASTER), durable=True)
    raise StoreError("the master playlist was changed by others each time it was written")


def render_master(parts: Mapping[str, Part], master_channel: str) -> str | None:
    """Write the playlist from the parts (keys: channels); None when the master channel has no variants. Pure.

    Addresses are relative to the master channel's folder.
    """
    master = parts.get(master_channel, {})
    variants = master.get("variants") or []
    if not variants:
        return None
    audio = list(master.get("audio") or [])
    subtitles = [
        {**track, "uri": track["uri"] if channel == master_channel else f"../{channel}/{track['uri']}"}
        for channel in sorted(parts)
        for track in parts[channel].get("subtitles") or []
    ]
    lines = ["#EXTM3U", "#EXT-X-VERSION:7", "#EXT-X-INDEPENDENT-SEGMENTS"]
    lines += _media("AUDIO", _AUDIO, audio)
    lines += _media("SUBTITLES", _SUBTITLES, subtitles)
    for variant in variants:
        lines += [_stream_inf(variant, with_subtitles=bool(subtitles)), str(variant["uri"])]
    return "\n".join(lines) + "\n"


def playlist_duration(playlist: str) -> float:
    """Add up the segments of a media playlist, in seconds. Pure."""
    return sum(float(length) for length in _SEGMENT_LENGTH.findall(playlist))


def _committed_parts(store: MediaStore, asset_id: str) -> dict[str, Part]:
    parts: dict[str, Part] = {}
    for channel in channels_of(store, asset_id):
        result = store.get_json(result_key(asset_id, channel)) or {}
        part = (result.get("details") or {}).get("hls")
        if isinstance(part, dict):
            parts[channel] = part
    return parts


def _media(kind: str, group: str, tracks: list[dict[str, Any]]) -> Iterator[str]:
    names: set[str] = set()
    default_given = False
    for track in tracks:
        default = bool(track.get("default")) and not default_given  # one in a group, at most
        default_given |= default
        attributes = {
            "TYPE": kind,
            "GROUP-ID": _quoted(group),
            "NAME": _quoted(unused(str(track.get("name") or track.get("language") or kind.title()), names)),
        }
        if track.get("language"):
            attributes["LANGUAGE"] = _quoted(str(track["language"]))
        attributes |= {"DEFAULT": _yes(default), "AUTOSELECT": "YES"}
        if kind == "SUBTITLES":
            attributes["FORCED"] = _yes(bool(track.get("forced")))
        if track.get("channels"):
            attributes["CHANNELS"] = _quoted(str(track["channels"]))
        attributes["URI"] = _quoted(str(track["uri"]))
        yield f"#EXT-X-MEDIA:{_list(attributes)}"


def _stream_inf(variant: Part, *, with_subtitles: bool) -> str:
    attributes = {"BANDWIDTH": str(int(variant["bandwidth"]))}
    if variant.get("averageBandwidth"):
        attributes["AVERAGE-BANDWIDTH"] = str(int(variant["averageBandwidth"]))
    if variant.get("codecs"):
        attributes["CODECS"] = _quoted(str(variant["codecs"]))
    if variant.get("resolution"):
        attributes["RESOLUTION"] = str(variant["resolution"])
    if variant.get("frameRate"):
        attributes["FRAME-RATE"] = f"{float(variant['frameRate']):.3f}"
    if variant.get("audio"):
        attributes["AUDIO"] = _quoted(_AUDIO)
    if with_subtitles:
        attributes["SUBTITLES"] = _quoted(_SUBTITLES)
    return f"#EXT-X-STREAM-INF:{_list(attributes)}"


def _list(attributes: Mapping[str, str]) -> str:
    return ",".join(f"{name}={value}" for name, value in attributes.items())


def _quoted(text: str) -> str:
    # a quoted-string holds no quote and no line end, and knows no escape
    return '"' + re.sub(r"[\x00-\x1f\x7f]+", " ", text.replace('"', "'")).strip() + '"'


def _yes(value: bool) -> str:
    return "YES" if value else "NO"
