"""Counting deliveries and settlements cheaply: plain integers on the I/O thread, handed to Prometheus in batches."""

from collections import Counter

from mq_common import metrics


class Traffic:
    """What went through one channel's worker since the last ``flush``. Used by the I/O thread only."""

    def __init__(self, channel: str) -> None:
        self._channel = channel
        self._deliveries: Counter[bool] = Counter()
        self._settled: Counter[str] = Counter()
        self._frames = 0

    def delivered(self, *, redelivered: bool) -> None:
        """Count a message from the broker."""
        self._deliveries[redelivered] += 1

    def settled(self, how: str, count: int = 1) -> None:
        """Count messages settled as ``how``: ack, reject, give_back."""
        self._settled[how] += count

    def framed(self) -> None:
        """Count a frame sent to settle messages."""
        self._frames += 1

    def flush(self) -> None:
        """Hand the counts to the metrics."""
        for redelivered, count in self._deliveries.items():
            metrics.DELIVERIES.labels(self._channel, str(redelivered).lower()).inc(count)
        for how, count in self._settled.items():
            metrics.SETTLED.labels(self._channel, how).inc(count)
        metrics.SETTLE_FRAMES.labels(self._channel).inc(self._frames)
        self._deliveries.clear()
        self._settled.clear()
        self._frames = 0
