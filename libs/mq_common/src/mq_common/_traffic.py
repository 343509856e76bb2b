"""Counting what goes through a worker, cheaply: by the I/O thread alone, handed to Prometheus in batches."""

from collections import Counter

from mq_common import metrics
from mq_common.jobs import JobEnd


class Traffic:
    """What went through one channel's worker since the last ``flush``. Used by the I/O thread only."""

    def __init__(self, channel: str) -> None:
        self._channel = channel
        self._deliveries: Counter[bool] = Counter()
        self._ends: Counter[JobEnd] = Counter()
        self._frames = 0
        self._stale = 0
        self._lag = metrics.LAG_SECONDS.of(channel)
        self._seconds = metrics.JOB_SECONDS.of(channel)
        _begin_at_zero(channel)

    def delivered(self, *, redelivered: bool) -> None:
        """Count a message from the broker."""
        self._deliveries[redelivered] += 1

    def ended(self, end: JobEnd, lag_s: float, seconds: float) -> None:
        """Count a job: how it ended, how old its message was at its start, how long it took."""
        self._ends[end] += 1
        self._lag.observe(lag_s)
        self._seconds.observe(seconds)

    def framed(self) -> None:
        """Count a frame sent to settle messages."""
        self._frames += 1

    def was_stale(self) -> None:
        """Count a job whose delivery belongs to a lost channel, so that nobody can be told."""
        self._stale += 1

    def flush(self) -> None:
        """Hand the counts to the metrics."""
        for redelivered, count in self._deliveries.items():
            metrics.DELIVERIES.labels(self._channel, str(redelivered).lower()).inc(count)
        for end, count in self._ends.items():
            metrics.JOBS.labels(self._channel, end.value).inc(count)
        metrics.SETTLE_FRAMES.labels(self._channel).inc(self._frames)
        metrics.STALE.labels(self._channel).inc(self._stale)
        self._deliveries.clear()
        self._ends.clear()
        self._frames = self._stale = 0


def _begin_at_zero(channel: str) -> None:
    """Tell every counter from the start: what first appears with a 1 has never grown, for Prometheus."""
    for counter in (
        metrics.CONSUMER_CANCELS,
        metrics.WORKER_RECONNECTS,
        metrics.GIVEN_BACK,
        metrics.STALE,
        metrics.SETTLE_FRAMES,
    ):
        counter.labels(channel)
    for redelivered in ("true", "false"):
        metrics.DELIVERIES.labels(channel, redelivered)
    for end in JobEnd:
        metrics.JOBS.labels(channel, end.value)
