"""Replays as operators ask for them: one at a time for each channel, written down, and never a message lost."""

import threading
import time

from flask_babel import lazy_gettext as _
from flask_babel.speaklater import LazyString

from console.audit import Audit
from console.control.fleet_control import (
    ControlError,
    FleetControl,
    ReplayRun,
    UnknownReplay,
)
from console.dead_letters.looks import Looks
from console.dead_letters.options import ReplayOptions
from console.dead_letters.wire import run_json
from console.fleet.actions import problem_of
from console.problems import NO_SUCH_ADDRESS, REFUSED, Problem

#: The actions of this page, as they stand in the audit.
REPLAY, STOP_REPLAY = "replay", "stop_replay"

#: Seconds for which a list of replays serves everybody who asks.
_LISTED_S = 0.5


class ReplayDesk:
    """Starts, shows and stops replays. Thread-safe; every method raises Problem."""

    def __init__(self, control: FleetControl, looks: Looks, audit: Audit) -> None:
        self._control, self._looks, self._audit = control, looks, audit
        self._starting, self._listing = threading.Lock(), threading.Lock()
        self._runs: tuple[ReplayRun, ...] = ()
        self._listed_at = float("-inf")

    def all_runs(self, *, max_age_s: float = _LISTED_S) -> tuple[ReplayRun, ...]:
        """List replays that run or lately ended, newest first, as they were ``max_age_s`` ago. Raises ControlError.

        Many pages watch; the fleet is asked once for all of them.
        """
        with self._listing:
            now = time.monotonic()
            if now - self._listed_at > max_age_s:
                self._runs, self._listed_at = self._control.replays(), now
            return self._runs

    def going_on(self, channel: str, *, max_age_s: float = _LISTED_S) -> ReplayRun | None:
        """Give the channel's replay that has not ended; None also when nobody can tell."""
        try:
            runs = self.all_runs(max_age_s=max_age_s)
            return next((run for run in runs if run.request.channel == channel and not run.ended), None)
        except ControlError:
            return None

    def start(self, channel: str, options: ReplayOptions, *, who: str) -> ReplayRun:
        """Put dead letters back. Refused while another replay of the channel runs: the problem has it as ``run``."""
        said = options.in_words()
        with self._starting:
            if (other := self.going_on(channel, max_age_s=0)) is not None:
                self._audit.record(REPLAY, who=who, channel=channel, detail=said, outcome=f"refused: {other.id} runs")
                raise Problem(REFUSED, _already(other), {"run": run_json(other)})
            self._looks.cut_short(channel)
            try:
                run = self._control.start_replay(options.request(channel, asked_by=who))
            except ControlError as error:
                self._audit.record(REPLAY, who=who, channel=channel, detail=said, outcome=f"failed: {error}")
                raise problem_of(error) from None
            self._listed_at = float("-inf")
        self._audit.record(REPLAY, who=who, channel=channel, detail=f"{run.id}: {said}", outcome="started")
        return run

    def run(self, channel: str, run_id: str) -> ReplayRun:
        """Look at one replay of the channel."""
        try:
            run = self._control.replay(run_id)
        except UnknownReplay as error:
            raise Problem(NO_SUCH_ADDRESS, str(error)) from None
        except ControlError as error:
            raise problem_of(error) from None
        if run.request.channel != channel:
            raise Problem(NO_SUCH_ADDRESS, _("There is no such replay of %(channel)s.", channel=channel))
        return run

    def stop(self, channel: str, run_id: str, *, who: str) -> ReplayRun:
        """Ask a replay to end; what it has not moved stays where it is."""
        run = self.run(channel, run_id)
        if run.ended:
            return run
        try:
            self._control.stop_replay(run_id)
        except ControlError as error:
            self._audit.record(STOP_REPLAY, who=who, channel=channel, detail=run_id, outcome=f"failed: {error}")
            raise problem_of(error) from None
        self._audit.record(STOP_REPLAY, who=who, channel=channel, detail=f"{run_id}: {run.moved} moved by then")
        return self.run(channel, run_id)


def _already(run: ReplayRun) -> LazyString:
    asked = {"channel": run.request.channel, "who": run.request.asked_by or "?"}
    if run.total is None:
        return _(
            "A replay of %(channel)s, asked for by %(who)s, waits for the queue. Watch it, or stop it first.", **asked
        )
    return _(
        "A replay of %(channel)s runs already, asked for by %(who)s: %(moved)s of %(total)s are moved. "
        "Watch it, or stop it first.",
        moved=run.moved,
        total=run.total,
        **asked,
    )
