"""What operators can do to the fleet: one way for buttons and the admin API, written down whatever comes of it."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Protocol

from console.audit import Audit, AuditEntry
from console.control.fleet_control import (
    ControlError,
    ControlRefused,
    ControlUnavailable,
    FleetControl,
    UnknownChannel,
)
from console.problems import FLEET_UNAVAILABLE, NO_SUCH_CHANNEL, REFUSED, Kind, Problem

#: The actions of this page, as they stand in the audit.
PAUSE, RESUME, SCALE, BURST = "pause", "resume", "scale", "burst"
ACTIONS = frozenset({PAUSE, RESUME, SCALE, BURST})

_KINDS: tuple[tuple[type[ControlError], Kind], ...] = (
    (UnknownChannel, NO_SUCH_CHANNEL),
    (ControlRefused, REFUSED),
    (ControlUnavailable, FLEET_UNAVAILABLE),
)


class Bursts(Protocol):
    """Who sends simulated load: the client of ingest."""

    def burst(self, count: int, owner_id: str = ...) -> dict[str, Any]:
        """Publish so many simulated assets; gives ingest's report."""


class FleetActions:
    """Acts on the fleet and keeps the audit. Every method gives the audit's entry and raises Problem."""

    def __init__(self, control: FleetControl, audit: Audit, *, acted: Callable[[], None] = lambda: None) -> None:
        """``acted`` is called after each action: the look at the workers should not be older than it."""
        self._control = control
        self._audit = audit
        self._acted = acted

    def pause(self, channel: str | None, *, who: str) -> AuditEntry:
        """Let the workers of ``channel`` (None: of all) finish what they hold and take nothing new."""
        with self._written(PAUSE, who, channel):
            self._control.pause(channel)
        return self._done(PAUSE, who, channel)

    def resume(self, channel: str | None, *, who: str) -> AuditEntry:
        """Go on as before the pause; a number held by hand goes back to the autoscaler."""
        with self._written(RESUME, who, channel):
            self._control.resume(channel)
        return self._done(RESUME, who, channel)

    def scale(self, channel: str, count: int, *, who: str) -> AuditEntry:
        """Run ``count`` workers of ``channel``."""
        with self._written(SCALE, who, channel, str(count)):
            self._control.scale(channel, count)
        return self._done(SCALE, who, channel, str(count))

    def burst(self, bursts: Bursts, count: int, *, who: str) -> AuditEntry:
        """Send ``count`` simulated assets to every channel."""
        with self._written(BURST, who, None, str(count)):
            report = bursts.burst(count)
        accepted = report.get("accepted", count)
        return self._done(BURST, who, None, str(accepted))

    def _done(self, action: str, who: str, channel: str | None, detail: str = "") -> AuditEntry:
        self._acted()
        return self._audit.record(action, who=who, channel=channel, detail=detail)

    @contextmanager
    def _written(self, action: str, who: str, channel: str | None, detail: str = "") -> Iterator[None]:
        try:
            yield
        except Exception as error:
            self._audit.record(action, who=who, channel=channel, detail=detail, outcome=f"failed: {error}")
            if isinstance(error, ControlError):
                raise problem_of(error) from None
            raise


def problem_of(error: ControlError) -> Problem:
    """Give the problem that an error of the control is."""
    kind = next((kind for cls, kind in _KINDS if isinstance(error, cls)), FLEET_UNAVAILABLE)
    return Problem(kind, str(error))
