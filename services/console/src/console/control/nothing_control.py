"""Where nobody runs the fleet that the console could ask: looking works, acting says why it does not."""

from collections.abc import Mapping
from typing import Literal, NoReturn

from console.control.fleet_control import ControlUnavailable, FleetView, ReplayRequest, ReplayRun, WorkerReading

_WHY = "The console does not know who runs this fleet: it shows the queues, but can't act on workers."


class NothingControl:
    """Refuses everything with `why`; satisfies FleetControl."""

    kind: Literal["none"] = "none"

    def __init__(self, why: str = _WHY) -> None:
        self._why = why

    def fleet(self) -> FleetView:
        """See FleetControl."""
        self._refuse()

    def learn(self, readings: Mapping[str, WorkerReading]) -> None:
        """See FleetControl."""

    def pause(self, channel: str | None) -> None:
        """See FleetControl."""
        self._refuse()

    def resume(self, channel: str | None) -> None:
        """See FleetControl."""
        self._refuse()

    def scale(self, channel: str, count: int) -> None:
        """See FleetControl."""
        self._refuse()

    def start_replay(self, request: ReplayRequest) -> ReplayRun:
        """See FleetControl."""
        self._refuse()

    def replays(self) -> tuple[ReplayRun, ...]:
        """See FleetControl."""
        self._refuse()

    def replay(self, run_id: str) -> ReplayRun:
        """See FleetControl."""
        self._refuse()

    def stop_replay(self, run_id: str) -> None:
        """See FleetControl."""
        self._refuse()

    def _refuse(self) -> NoReturn:
        raise ControlUnavailable(self._why)
