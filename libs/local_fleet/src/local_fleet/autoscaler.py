"""Applies the scaling rule to the fleet's processes, as KEDA does to pods."""

import asyncio
import time
from collections.abc import Callable, Mapping

import structlog

from local_fleet.scaling import CoolDown, wanted_workers
from mq_common.channels import ChannelSpec
from mq_common.errors import BrokerUnreachable
from mq_common.management import QueueDepth

_log = structlog.get_logger()

#: How often queue depths are read, in seconds. The broker's own figures are a second old at most.
_INTERVAL_S = 2.0


class Autoscaler:
    """Reads depths and asks for a number of workers for each channel."""

    def __init__(
        self,
        channels: Callable[[], Mapping[str, ChannelSpec]],
        *,
        read_depths: Callable[[], Mapping[str, QueueDepth]],
        running: Callable[[str], int | None],
        scale: Callable[[str, int], None],
        cooldown_s: float,
    ) -> None:
        """`channels` are those there are now; `running` gives None for a channel that is to be left alone."""
        self._channels = channels
        self._read_depths = read_depths
        self._running = running
        self._scale = scale
        self._cooldown_s = cooldown_s
        self._cooldowns: dict[str, CoolDown] = {}

    async def run(self) -> None:
        """Scale until cancelled."""
        while True:
            try:
                self.apply(await asyncio.to_thread(self._read_depths), time.monotonic())
            except BrokerUnreachable as error:  # the broker may be restarting: nobody is scaled blindly
                _log.warning("depths_unknown", error=str(error))
            await asyncio.sleep(_INTERVAL_S)

    def apply(self, depths: Mapping[str, QueueDepth], now: float) -> None:
        """Scale every channel whose queue is in `depths` by what `now` (seconds) calls for."""
        for name, spec in self._channels().items():
            running = self._running(name)
            if running is None:
                self._cooldowns.pop(name, None)  # what was wanted before a pause says nothing about the time after it
                continue
            depth = depths.get(spec.queue)
            if depth is None:
                continue
            wanted = wanted_workers(
                depth.ready,
                depth.unacked,
                per_worker=spec.messages_per_worker,
                fewest=spec.workers.min,
                most=spec.workers.max,
            )
            cooldown = self._cooldowns.setdefault(name, CoolDown(self._cooldown_s))
            count = cooldown.settle(now, wanted, running)
            if count != running:
                _log.info("channel_scaled", channel=name, workers=count, before=running, ready=depth.ready)
                self._scale(name, count)
