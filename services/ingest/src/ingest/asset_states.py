"""An asset as it is now: its record, and what each channel did with it, read from the store."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict
from datetime import datetime
from typing import Any

from ingest.asset_records import read_record
from ingest.bursts import Burst, burst_key, burst_of
from ingest.models import AssetView, ChannelErrorView, ChannelEventView, ChannelView, OutputView, SourceView, Status
from ingest.playback import find_playback, output_url
from ingest.problems import NO_SUCH_ASSET, Problem
from ingest.runtime import Runtime
from media_common import layout
from media_common.states import ChannelState, channels_of, read_channel_state
from media_common.timeline import Step, read_timeline
from media_common.timestamps import rfc3339
from mq_common.events import MediaEvent


def find_asset(runtime: Runtime, asset_id: str) -> MediaEvent:
    """Give the event under which the asset was uploaded. Raises Problem 404."""
    if layout.is_asset_id(asset_id):
        event = read_record(runtime.store, asset_id)
        if event is not None:
            return event
        if (numbered := burst_of(asset_id)) is not None:
            burst_id, number = numbered
            stored = runtime.store.get_json(burst_key(burst_id))
            if stored is not None and 1 <= number <= stored["count"]:
                return Burst.from_json(stored).event(number)
    raise Problem(NO_SUCH_ASSET, "No upload has this assetId. GET /media lists those there are.")


def all_channels(runtime: Runtime, asset_id: str, uploaded_at: datetime) -> list[str]:
    """Name the channels of an asset: those there were when it came, and those that have left something in the store."""
    channels = runtime.channels.current()
    runtime.channel_ages.note(channels, runtime.channels.changed_at)
    begun = channels_of(runtime.store, asset_id)
    there = [name for name in channels if name in begun or runtime.channel_ages.is_older(name, uploaded_at)]
    return list(dict.fromkeys([*there, *begun]))


def read_states(runtime: Runtime, asset_id: str, uploaded_at: datetime) -> list[ChannelState]:
    """Read where each channel is with the asset."""
    names = all_channels(runtime, asset_id, uploaded_at)
    return [read_channel_state(runtime.store, asset_id, channel) for channel in names]


def overall_status(states: Iterable[str]) -> Status:
    """Sum the channels up: done when all are, dead-lettered when all have ended and one gave up.

    >>> overall_status(["done", "queued"])
    'running'
    """
    seen = set(states)
    if not seen or seen == {"queued"}:
        return "queued"
    if seen == {"done"}:
        return "done"
    return "dead-lettered" if seen <= {"done", "dead-lettered"} else "running"


def view_asset(runtime: Runtime, asset_id: str) -> AssetView:
    """Give the asset with all its channels. Raises Problem 404."""
    event = find_asset(runtime, asset_id)
    states = read_states(runtime, asset_id, event.uploaded_at)
    return AssetView(
        asset_id=asset_id,
        event_id=event.event_id,
        owner_id=event.owner_id,
        duration_sec=event.duration_sec,
        uploaded_at=event.uploaded_at,
        source=_source_view(event),
        status=overall_status(state.state for state in states),
        channels={state.channel: _channel_view(runtime, event, state) for state in states},
        playback=find_playback(asset_id, states),
    )


def _source_view(event: MediaEvent) -> SourceView | None:
    source = event.source
    if source is None:
        return None
    return SourceView(
        url=f"/media/{event.asset_id}/source",
        size=source.size,
        sha256=source.sha256,
        content_type=source.content_type,
        file_name=source.file_name,
    )


def _channel_view(runtime: Runtime, event: MediaEvent, state: ChannelState) -> ChannelView:
    asset_id = event.asset_id
    timeline = read_timeline(runtime.store, asset_id, rfc3339(event.uploaded_at), state)
    return ChannelView(
        state=state.state,
        percent=state.percent,
        step=state.step,
        attempt=state.attempt,
        error=_error_view(state.error),
        outputs=[_output_view(asset_id, state.channel, output) for output in state.outputs],
        started_at=state.started_at,
        finished_at=state.finished_at,
        elapsed_sec=_elapsed(state),
        events=[_event_view(step) for step in timeline],
    )


def _event_view(step: Step) -> ChannelEventView:
    fields = asdict(step)
    return ChannelEventView(event=fields.pop("what"), retry_in_sec=fields.pop("retry_in_s"), **fields)


def _elapsed(state: ChannelState) -> float | None:
    if state.started_at is None or state.finished_at is None:
        return None
    taken = datetime.fromisoformat(state.finished_at) - datetime.fromisoformat(state.started_at)
    return round(taken.total_seconds(), 3)


def _error_view(error: Mapping[str, Any] | None) -> ChannelErrorView | None:
    if error is None:
        return None
    return ChannelErrorView(
        reason=error.get("reason"),
        error_class=error.get("errorClass"),
        message=error.get("message"),
        permanent=error.get("permanent"),
        attempts=error.get("attempts"),
        failed_at=error.get("failedAt"),
    )


def _output_view(asset_id: str, channel: str, output: Mapping[str, Any]) -> OutputView:
    name = str(output["name"])
    return OutputView(
        name=name,
        url=output_url(asset_id, channel, name),
        size=output.get("size"),
        content_type=output.get("contentType"),
    )
