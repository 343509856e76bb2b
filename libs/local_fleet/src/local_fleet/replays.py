"""The fleet's replays: those that run, one for each channel at most, and the last that ended."""

import secrets
import time
from collections.abc import Mapping, Sequence
from typing import Any

from local_fleet.errors import FleetError
from local_fleet.fleet_plan import FleetPlan
from local_fleet.replay_process import ReplayProcess
from local_fleet.run_folder import RunFolder

#: Ended runs that are still known.
_KEPT = 50


class ReplayRefused(FleetError):
    """Another replay of the channel runs."""


class Replays:
    """Starts and remembers runs of the replayer. Belongs to the event loop of the main thread."""

    def __init__(self, folder: RunFolder) -> None:
        self._folder = folder
        self._runs: dict[str, ReplayProcess] = {}

    @property
    def running(self) -> tuple[ReplayProcess, ...]:
        """Those that have not ended, oldest first."""
        return tuple(each for each in self._runs.values() if not each.ended)

    def start(
        self, plan: FleetPlan, channel: str, arguments: Sequence[str], request: Mapping[str, Any]
    ) -> ReplayProcess:
        """Start a replay of `channel` with the replayer's further `arguments`. Raises ReplayRefused."""
        for other in self.running:
            if other.channel == channel:
                age_s = time.time() - other.describe()["started_at"]
                raise ReplayRefused(
                    f"a replay of {channel} runs since {age_s:.0f} s ({other.id}): wait for its end, or stop it"
                )
        run_id = f"{channel}-{secrets.token_hex(4)}"
        run = ReplayProcess(run_id, channel, plan.replayer_spec(channel, arguments), request)
        self._forget_old()
        self._runs[run_id] = run
        run.start(self._folder)
        return run

    def find(self, run_id: str) -> ReplayProcess:
        """Give a run. Raises KeyError when there is none of that id, or it is too old."""
        return self._runs[run_id]

    def describe(self) -> list[dict[str, Any]]:
        """Tell of all that are known, newest first."""
        return [each.describe() for each in reversed(self._runs.values())]

    def _forget_old(self) -> None:
        ended = [run_id for run_id, run in self._runs.items() if run.ended]
        for run_id in ended[: max(0, len(ended) - _KEPT + 1)]:
            del self._runs[run_id]
