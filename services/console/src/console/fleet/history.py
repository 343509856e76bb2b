"""The last fifteen minutes of the fleet: what the charts show, and what survives a restart of the console."""

import math
from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from console.fleet.looks import ChannelLook, FleetLook

#: Seconds that are kept.
SPAN_S = 900.0

#: The columns of a channel, named as in a look's JSON.
SERIES = ("ready", "unacked", "publishedRate", "ackedRate", "working", "deadLetters", "lag", "paused")

Row = tuple[float | int | None, ...]


@dataclass(frozen=True, slots=True)
class Sample:
    """One moment (Unix seconds): a row in the order of SERIES by channel; no channels while the broker is gone."""

    number: int
    at: float
    rows: Mapping[str, Row]


def row_of(channel: ChannelLook) -> Row:
    """Give what is kept of a channel's look."""
    return (
        channel.ready,
        channel.unacked,
        round(channel.published_rate, 2),
        round(channel.acked_rate, 2),
        channel.working,
        channel.dead_letters,
        round(channel.lag.seconds, 1),
        1 if channel.workers is not None and channel.workers.paused else 0,
    )


class History:
    """The samples of the last fifteen minutes, oldest first. For one writer; readers get copies."""

    def __init__(self, samples: Iterable[Sample] = ()) -> None:
        self._samples: deque[Sample] = deque(samples)

    def add(self, look: FleetLook) -> None:
        """Keep what the charts need of a look."""
        rows = {channel.name: row_of(channel) for channel in look.channels} if look.broker.answers else {}
        self._samples.append(Sample(look.number, look.at, rows))
        while self._samples and self._samples[0].at < look.at - SPAN_S:
            self._samples.popleft()

    def since(self, number: int = -(10**9)) -> list[Sample]:
        """Give the samples after that number."""
        return [sample for sample in tuple(self._samples) if sample.number > number]

    def restore(self, columns: Mapping[str, Any], now: float) -> None:
        """Take what ``columns_of`` gave before a restart. Raises KeyError, TypeError, ValueError for anything else."""
        channels: Mapping[str, Mapping[str, list[Any]]] = columns["channels"]
        times = [float(at) for at in columns["at"]]
        for position, at in enumerate(times):
            if not now - SPAN_S <= at <= now or not math.isfinite(at):
                continue
            rows = {}
            for name, series in channels.items():
                row = tuple(series[each][position] for each in SERIES)
                if row[0] is not None:
                    rows[str(name)] = row
            self._samples.append(Sample(position - len(times), at, rows))


def columns_of(samples: list[Sample]) -> dict[str, Any]:
    """Give samples as columns, which is what charts take: ``{"at": […], "channels": {name: {series: […]}}}``."""
    names = list(dict.fromkeys(name for sample in samples for name in sample.rows))
    nothing: Row = (None,) * len(SERIES)
    channels = {}
    for name in names:
        rows = [sample.rows.get(name, nothing) for sample in samples]
        channels[name] = dict(zip(SERIES, map(list, zip(*rows, strict=True)), strict=True)) if rows else {}
    return {"at": [round(sample.at, 2) for sample in samples], "channels": channels}
