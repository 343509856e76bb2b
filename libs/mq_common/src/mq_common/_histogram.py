"""A Prometheus histogram for one writing thread: thousands of observations a second without a lock for each."""

from bisect import bisect_left
from collections.abc import Iterator, Sequence

from prometheus_client import REGISTRY
from prometheus_client.metrics_core import HistogramMetricFamily
from prometheus_client.registry import Collector
from prometheus_client.utils import floatToGoString


class OneWriterHistogram(Collector):
    """A histogram by channel. ``observe`` is for one thread a channel; any thread may collect."""

    def __init__(self, name: str, documentation: str, buckets: Sequence[float]) -> None:
        self._name, self._documentation = name, documentation
        self._bounds = tuple(buckets)
        self._channels: dict[str, Observations] = {}
        REGISTRY.register(self)

    def of(self, channel: str) -> "Observations":
        """Give the channel's own series."""
        return self._channels.setdefault(channel, Observations(self._bounds))

    def describe(self) -> Iterator[HistogramMetricFamily]:
        """Name the metric, so that registering does not have to collect."""
        yield HistogramMetricFamily(self._name, self._documentation, labels=["channel"])

    def collect(self) -> Iterator[HistogramMetricFamily]:
        """Give the cumulative buckets of every channel."""
        family = HistogramMetricFamily(self._name, self._documentation, labels=["channel"])
        names = [str(floatToGoString(bound)) for bound in (*self._bounds, float("inf"))]  # type: ignore[no-untyped-call]
        for channel, series in list(self._channels.items()):
            family.add_metric([channel], list(zip(names, series.cumulative(), strict=True)), series.total)
        yield family


class Observations:
    """Counts by bucket, and the sum of all values."""

    __slots__ = ("_bounds", "_counts", "total")

    def __init__(self, bounds: tuple[float, ...]) -> None:
        self._bounds = bounds
        self._counts = [0] * (len(bounds) + 1)
        self.total = 0.0

    def observe(self, value: float) -> None:
        """Count one value; a bound belongs to the bucket below it."""
        self._counts[bisect_left(self._bounds, value)] += 1
        self.total += value

    def cumulative(self) -> list[float]:
        """Give how many values were at most each bound, the last one unbounded."""
        running, sums = 0, []
        for count in self._counts:
            running += count
            sums.append(float(running))
        return sums
