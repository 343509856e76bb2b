"""Looks as JSON: what the page, the feed and the admin API tell, in one form."""

import math
from dataclasses import asdict
from typing import Any

from console.channel_marks import channel_marks
from console.fleet.looks import ChannelLook, Concern, FleetLook, Source, Workers


def look_json(look: FleetLook) -> dict[str, Any]:
    """Give the whole look. Times are Unix seconds, rates messages a second, durations seconds."""
    marks = channel_marks(channel.name for channel in look.channels)
    return {
        "number": look.number,
        "at": round(look.at, 3),
        "broker": _source(look.broker),
        "control": _source(look.control) | {"kind": look.control_kind},
        "channels": [channel_json(channel) | {"mark": marks[channel.name]} for channel in look.channels],
        "warnings": [_concern(concern) for concern in look.warnings],
    }


def channel_json(channel: ChannelLook) -> dict[str, Any]:
    """Give one channel. ``drain``: seconds, "never" while the backlog grows, null while it is not known."""
    return {
        "name": channel.name,
        "queue": channel.queue,
        "ready": channel.ready,
        "unacked": channel.unacked,
        "total": channel.total,
        "stuck": channel.stuck,
        "consumers": channel.consumers,
        "deadLetters": channel.dead_letters,
        "publishedRate": round(channel.published_rate, 2),
        "deliveredRate": round(channel.delivered_rate, 2),
        "ackedRate": round(channel.acked_rate, 2),
        "redeliveredRate": round(channel.redelivered_rate, 2),
        "lag": round(channel.lag.seconds, 1),
        "lagExact": channel.lag.exact,
        "drain": _drain(channel.drain_s),
        "storm": channel.storm.value,
        "working": channel.working,
        "workers": _workers(channel.workers),
    }


def _drain(drain_s: float | None) -> float | str | None:
    if drain_s is None:
        return None
    return "never" if math.isinf(drain_s) else round(drain_s, 1)


def _workers(workers: Workers | None) -> dict[str, Any] | None:
    if workers is None:
        return None
    values = asdict(workers)
    values["scaledBy"] = values.pop("scaled_by")
    return values


def _concern(concern: Concern) -> dict[str, Any]:
    return {
        "kind": concern.kind,
        "severity": concern.severity,
        "channel": concern.channel,
        "since": round(concern.since, 3),
        "values": dict(concern.values),
    }


def _source(source: Source) -> dict[str, Any]:
    return {"answers": source.answers, "since": round(source.since, 3), "reason": source.reason}
