"""The pretended provider behind simulated assets: slow or flaky in a way that repeats exactly."""

import threading
import zlib

from mq_common.channels import ChannelSpec
from mq_common.errors import TransientError


class SimulatedProvider:
    """Waits the channel's latency, then fails for a fixed share of assets: the same asset always fails."""

    def __init__(self, spec: ChannelSpec) -> None:
        self._name = spec.name
        self._latency_s = spec.simulated.latency_ms / 1000
        self._failure_rate = spec.simulated.failure_rate

    def __call__(self, asset_id: str, cancelled: threading.Event | None = None) -> None:
        """Serve one asset; raises TransientError when this asset is one of the failing ones.

        Returns early when ``cancelled`` is set, which the caller has to check.
        """
        (cancelled or threading.Event()).wait(self._latency_s)
        if fails(self._name, asset_id, self._failure_rate):
            raise TransientError(f"{self._name} provider answered 503")


def fails(channel: str, asset_id: str, rate: float) -> bool:
    """Tell whether this asset belongs to the failing share (0–1) of the channel, by hash."""
    bucket = zlib.crc32(f"{channel}:{asset_id}".encode()) % 10_000
    return bucket < rate * 10_000
