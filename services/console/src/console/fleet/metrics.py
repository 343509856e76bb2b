"""The fleet's numbers for Prometheus, read off the newest look. Each is explained in OPERATIONS.md."""

import math
from collections.abc import Callable, Iterator

from prometheus_client import Counter, Histogram
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

from console.fleet.looks import ChannelLook, FleetLook

LOOK_SECONDS = Histogram(
    "mediaflow_console_look_seconds",
    "Time of a look at the broker",
    buckets=(0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5),
)
LOOKS_FAILED = Counter("mediaflow_console_looks_failed", "Looks that the broker did not answer")

Read = Callable[[ChannelLook], float | None]

_OF_CHANNELS: tuple[tuple[str, str, Read], ...] = (
    ("lag_seconds", "Age of the oldest waiting message", lambda c: c.lag.seconds),
    ("drain_seconds", "Time until the backlog is gone, +Inf while it grows", lambda c: c.drain_s),
    ("messages_ready", "Messages that wait", lambda c: c.ready),
    ("messages_unacked", "Messages that workers hold", lambda c: c.unacked),
    ("messages_stuck", "Messages neither ready nor unacknowledged", lambda c: c.stuck),
    ("dead_letters", "Messages in the dead-letter queue", lambda c: c.dead_letters),
    ("consumers", "Consumers of the queue", lambda c: c.consumers),
    ("workers", "Workers that can work", lambda c: c.workers.ready if c.workers else None),
    ("workers_wanted", "Workers there are to be", lambda c: c.workers.wanted if c.workers else None),
    ("workers_maximum", "Workers there may be", lambda c: c.workers.maximum if c.workers else None),
    ("paused", "1 while the channel is paused", lambda c: float(c.workers.paused) if c.workers else None),
)


class FleetCollector(Collector):
    """Gives the newest look; nothing of the channels while the broker is gone, for old numbers are not numbers."""

    def __init__(self, look: Callable[[], FleetLook | None], viewers: Callable[[], int]) -> None:
        self._look = look
        self._viewers = viewers

    def collect(self) -> Iterator[GaugeMetricFamily]:
        """Give every family."""
        look = self._look()
        yield GaugeMetricFamily("mediaflow_console_viewers", "Open live views", value=self._viewers())
        answers = look is not None and look.broker.answers
        yield GaugeMetricFamily("mediaflow_console_broker_up", "1 while the broker answers", value=float(answers))
        for name, text, read in _OF_CHANNELS:
            family = GaugeMetricFamily(f"mediaflow_console_{name}", text, labels=["channel"])
            for channel in look.channels if look is not None and answers else ():
                value = read(channel)
                family.add_metric([channel.name], math.nan if value is None else value)
            yield family

    def describe(self) -> Iterator[GaugeMetricFamily]:
        """Name the families, without a look."""
        return self.collect()


def count_look(look: FleetLook, took_s: float) -> None:
    """Count a look and what it took."""
    LOOK_SECONDS.observe(took_s)
    if not look.broker.answers:
        LOOKS_FAILED.inc()
