"""The control of a fleet that nobody has told the console of: it can be watched, not steered."""

from typing import Literal, NoReturn

from console.control.fleet_control import ControlUnavailable, FleetView, ReplayRequest, ReplayRun

_WHY = "The console does not know who runs this fleet: it shows the queues, but can't act on workers."


class NoControl:
    """Says so, whatever is asked."""

    kind: Literal["local", "kubernetes", "none"] = "none"

    def fleet(self) -> FleetView:
        """Raise ControlUnavailable."""
        self._refuse()

    def pause(self, channel: str | None) -> None:
        """Raise ControlUnavailable."""
        self._refuse()

    def resume(self, channel: str | None) -> None:
        """Raise ControlUnavailable."""
        self._refuse()

    def scale(self, channel: str, count: int) -> None:
        """Raise ControlUnavailable."""
        self._refuse()

    def start_replay(self, request: ReplayRequest) -> ReplayRun:
        """Raise ControlUnavailable."""
        self._refuse()

    def replays(self) -> tuple[ReplayRun, ...]:
        """Raise ControlUnavailable."""
        self._refuse()

    def replay(self, run_id: str) -> ReplayRun:
        """Raise ControlUnavailable."""
        self._refuse()

    def stop_replay(self, run_id: str) -> None:
        """Raise ControlUnavailable."""
        self._refuse()

    def _refuse(self) -> NoReturn:
        raise ControlUnavailable(_WHY)
