"""The dead letters of a fleet: looks at them, and replays of them. One object behind the page and the admin API."""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime

from flask_babel import lazy_gettext as _

from console.audit import Audit
from console.control.fleet_control import FleetControl, ReplayRun
from console.dead_letters.forecast import Forecast, foretell
from console.dead_letters.looks import Looks, LookState
from console.dead_letters.options import ReplayOptions
from console.dead_letters.replay_desk import ReplayDesk
from console.dead_letters.snapshot import Snapshot
from console.problems import BROKER_UNAVAILABLE, NO_SUCH_CHANNEL, REFUSED, Problem
from media_common.store import MediaStore
from mq_common.channels import ChannelSpec
from mq_common.settings import BrokerSettings

#: Seconds for which a look serves those who open the page, where the queue's length has not changed since.
_FRESH_S = 60.0
#: The same where it has; a deep queue is held for longer by a look, so it is looked at less often.
_CHANGED_S, _DEEP_CHANGED_S = 5.0, 120.0
#: Letters from which on a queue is deep: a look at them takes some seconds.
_DEEP = 20_000
#: Seconds for which a look is good enough to say what a replay would do; that of a deep queue is for longer.
_FORECAST_S = 10.0
#: Seconds that a request waits for a look.
_WAIT_S = 20.0


class DeadLetters:
    """Looks and replays of all channels. ``depths``: what is in the dead-letter queues now, as far as anybody knows."""

    def __init__(
        self,
        broker: BrokerSettings,
        channels: Callable[[], Mapping[str, ChannelSpec]],
        store: MediaStore,
        control: FleetControl,
        audit: Audit,
        *,
        depths: Callable[[], Mapping[str, int]] = dict,
    ) -> None:
        self._channels = channels
        self.depths = depths
        self.looks = Looks(broker, channels, store)
        self.desk = ReplayDesk(control, self.looks, audit)

    def close(self) -> None:
        """End all looks."""
        self.looks.close()

    @property
    def channels(self) -> list[str]:
        """Name the channels."""
        return list(self._channels())

    def check(self, channel: str) -> str:
        """Give the channel. Raises Problem that names those there are."""
        if channel not in self._channels():
            text = _("There is no channel %(name)s; there are %(all)s.", name=channel, all=", ".join(self.channels))
            raise Problem(NO_SUCH_CHANNEL, text)
        return channel

    def look_if_due(self, channel: str) -> LookState:
        """Look again in the background if what is known is old, and nobody replays. Gives how it stands."""
        state = self.looks.state(channel)
        if not state.is_looking and self.desk.going_on(channel) is None:
            self.looks.begin(channel, older_than_s=self._good_for_s(channel, state))
        return self.looks.state(channel)

    def known(self, channel: str) -> Snapshot:
        """Give the last look at a channel, and wait for the first one. Raises Problem when there is none."""
        state = self.look_if_due(channel)
        if state.snapshot is None:
            state = self.looks.wait(channel, _WAIT_S)
        if state.snapshot is not None:
            return state.snapshot
        if state.busy:
            raise Problem(
                REFUSED, _("Somebody else goes through these dead letters now. Look again when they have ended.")
            )
        raise Problem(BROKER_UNAVAILABLE, state.trouble or _("The look takes long; try again soon."))

    def foretell(self, channel: str, options: ReplayOptions) -> tuple[Forecast, Snapshot]:
        """Say what a replay would do, on a fresh look where one can be had. Raises Problem when nothing is known."""
        if self.desk.going_on(channel) is None:
            known = self.looks.state(channel).snapshot
            is_deep = known is not None and known.depth >= _DEEP
            self.looks.begin(channel, older_than_s=_DEEP_CHANGED_S if is_deep else _FORECAST_S)
            self.looks.wait(channel, _WAIT_S)
        snapshot = self.known(channel)
        return foretell(snapshot.each(), options.plan(), datetime.now(UTC)), snapshot

    def last_run(self, channel: str, runs: tuple[ReplayRun, ...]) -> ReplayRun | None:
        """Give the channel's newest replay."""
        return next((run for run in runs if run.request.channel == channel), None)

    def _good_for_s(self, channel: str, state: LookState) -> float:
        snapshot = state.snapshot
        if snapshot is None:
            return 0.0
        depth = self.depths().get(channel)
        if depth is None or depth == snapshot.depth:
            return _FRESH_S if snapshot.depth < _DEEP else 10 * _FRESH_S
        return _CHANGED_S if max(depth, snapshot.depth) < _DEEP else _DEEP_CHANGED_S
