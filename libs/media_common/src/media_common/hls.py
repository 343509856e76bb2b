"""The multivariant playlist (RFC 8216, section 4.3.4), put together from what the channels committed."""

from collections.abc import Mapping
from typing import Any

from media_common.store import MediaStore

MASTER = "master.m3u8"


def render_master(parts: Mapping[str, Mapping[str, Any]], master_channel: str) -> str | None:
    """Write the playlist from each channel's ``details.hls`` (keys: channels). None without variants. Pure."""
    raise NotImplementedError


def publish_master(store: MediaStore, asset_id: str, master_channel: str) -> None:
    """Write the asset's master playlist from what is committed. Idempotent."""
    raise NotImplementedError
