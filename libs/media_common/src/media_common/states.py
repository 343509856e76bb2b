"""The state of a channel's work on an asset, read from the store."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from media_common.store import MediaStore

State = Literal["queued", "running", "done", "dead-lettered"]


@dataclass(frozen=True, slots=True)
class ChannelState:
    """Where one channel is. `percent` 0-100; times are RFC 3339 text in UTC, as they stand in the store."""

    channel: str
    state: State
    percent: float | None = None
    step: str | None = None
    attempt: int | None = None
    error: Mapping[str, Any] | None = None
    outputs: tuple[Mapping[str, Any], ...] = ()
    details: Mapping[str, Any] = field(default_factory=dict)
    started_at: str | None = None
    finished_at: str | None = None


def read_channel_state(store: MediaStore, asset_id: str, channel: str) -> ChannelState:
    """Read the state. Raises StoreUnavailable."""
    raise NotImplementedError
