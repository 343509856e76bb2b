"""Carries the plan out."""

import time
from collections.abc import Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor

from mediaflow_chaos.faults import Fault
from mediaflow_chaos.strikes import Strike
from mediaflow_chaos.world import World

#: More strikes than this never last at the same time.
_AT_ONCE = 3
#: A fault that is over may still start what it stopped.
_PATIENCE_S = 300.0


class Nemesis:
    """Strikes as planned. Its threads start brokers, so they live until `close`."""

    def __init__(self, world: World, faults: Mapping[str, Fault]) -> None:
        self._world, self._faults = world, faults
        self._pool = ThreadPoolExecutor(_AT_ONCE, thread_name_prefix="nemesis")
        #: What was done and when, as it went.
        self.done: list[str] = []

    def carry_out(self, strikes: Sequence[Strike], seconds: float, *, every: bool = False) -> None:
        """Strike, each at its time or as soon as the one before it on the same subject is over; lasts ``seconds``.

        ``every``: longer, when that is what all of them take.
        """
        began = time.monotonic()
        busy: dict[str, Future[None]] = {}
        for strike in strikes:
            fault = self._faults[strike.fault]
            time.sleep(max(0.0, began + strike.at_s - time.monotonic()))
            if before := busy.get(fault.kind.subject):
                before.result(_PATIENCE_S)
            if not every and time.monotonic() - began > seconds:
                break
            busy[fault.kind.subject] = self._pool.submit(self._strike, fault, strike, began)
        time.sleep(max(0.0, began + seconds - time.monotonic()))
        if not every:
            self._world.over.set()
        for future in busy.values():
            future.result(_PATIENCE_S)

    def close(self) -> None:
        """Let the threads end."""
        self._pool.shutdown()

    def _strike(self, fault: Fault, strike: Strike, began: float) -> None:
        at_s = time.monotonic() - began
        try:
            fault.hit(self._world, strike)
        except Exception as error:  # the report has to say that this was not tested
            self._world.remarks.append(f"{strike.fault} at {at_s:.1f} s went wrong: {error!r}")
            return
        self.done.append(f"{at_s:6.1f}-{time.monotonic() - began:6.1f} s  {strike.fault} (target {strike.target})")
