"""What the console can do to a fleet, whatever runs it: the interface and its values."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal, Protocol

#: waiting: it will be started (again), and `reason` says what it waits for. failed: nobody will start it again.
WorkerState = Literal["starting", "ready", "stopping", "failed", "waiting"]

#: Who decides how many workers run while nobody holds the number.
ScaledBy = Literal["hand", "autoscaler", "keda"]

#: waiting: asked for, not yet at the queue. stopping: asked to end; it ends without losing a message.
ReplayState = Literal["waiting", "running", "done", "stopping", "stopped", "failed"]

#: Workers of one channel that can be asked for; more is a typing error.
MOST_WORKERS = 1000

#: The states after which nothing changes any more.
ENDED: frozenset[ReplayState] = frozenset({"done", "stopped", "failed"})


class ControlError(Exception):
    """The fleet did not do what was asked; the message is one sentence for the operator."""


class ControlUnavailable(ControlError):
    """Whoever runs the fleet can't be reached, or does not let the console act; the message says what to do."""


class ControlRefused(ControlError):
    """The request makes no sense now (out of range, another replay runs); nothing was changed."""


class UnknownChannel(ControlError):
    """There is no such channel; the message names those there are."""


class UnknownReplay(ControlError):
    """There is no such run, or it is so old that nothing is known of it any more."""


@dataclass(frozen=True, slots=True)
class WorkerView:
    """One worker: a process on this machine, or a pod."""

    name: str
    state: WorkerState
    started_at: datetime | None
    #: When it could take its first message. None before that, also after a restart.
    ready_at: datetime | None
    restarts: int
    memory_bytes: int | None
    #: Where its metrics are read (…/metrics).
    metrics_url: str | None
    #: The last trouble, or what it waits for: `ImagePullBackOff`, `exit code 3 …`. Empty when all is well.
    reason: str = ""


@dataclass(frozen=True, slots=True)
class WorkerReading:
    """What a worker told of itself at its metrics port; None where it did not.

    oldest_job_s: seconds for which its oldest running job has run, 0 when none runs. memory_bytes: resident, of the
    worker itself; programs that its jobs run are not in it.
    """

    oldest_job_s: float | None = None
    memory_bytes: int | None = None


@dataclass(frozen=True, slots=True)
class ChannelWorkers:
    """The workers of one channel, and how many there are to be.

    paused: none take messages. `wanted` is then what runs once it is resumed, where that is known (with KEDA the
    queue will decide: the minimum is given).
    held: somebody fixed the number by hand although an autoscaler (`scaled_by`) is there; resume gives it back.
    """

    name: str
    workers: tuple[WorkerView, ...]
    wanted: int
    minimum: int
    maximum: int
    paused: bool
    scaled_by: ScaledBy
    held: bool = False


@dataclass(frozen=True, slots=True)
class FleetView:
    """One look at all channels, by name in the fleet's order."""

    channels: Mapping[str, ChannelWorkers]


@dataclass(frozen=True, slots=True)
class ReplayRequest:
    """Which dead letters of a channel go back, and how fast; None and empty mean no limit.

    `event_ids` are those of `mq_common.dead_letters.DeadLetter.event_id`.
    """

    channel: str
    event_ids: tuple[str, ...] = ()
    #: Messages at most.
    limit: int | None = None
    #: The broker's word for how they died: `rejected`, `delivery_limit`; or ours, `unknown`.
    reason: str | None = None
    #: Class of the error a worker gave up with; `-` for those about whose error nothing is known.
    error: str | None = None
    asset: str | None = None
    #: Dead for so many seconds at least.
    older_than_s: float | None = None
    #: Those replayed so often stay; None: the replayer's own limit.
    max_replays: int | None = None
    #: Messages per second at most.
    rate: float | None = None
    dry_run: bool = False
    asked_by: str = ""


@dataclass(frozen=True, slots=True)
class ReplayRun:
    """A replay: how far it is, and how it ended."""

    id: str
    request: ReplayRequest
    state: ReplayState
    started_at: datetime | None = None
    ended_at: datetime | None = None
    #: Dead letters looked at, put back, and left where they are, so far.
    seen: int = 0
    moved: int = 0
    left: int = 0
    #: Dead letters there were at the start; None before they are counted.
    total: int | None = None
    #: What went wrong, or what it waits for. Empty when all is well.
    message: str = ""
    #: The replayer's own summary (its `--json`), once it has ended.
    summary: Mapping[str, Any] | None = field(default=None)

    @property
    def ended(self) -> bool:
        """Whether it will not change any more."""
        return self.state in ENDED


class FleetControl(Protocol):
    """A fleet that can be looked at and acted on. Every method may raise ControlUnavailable; all are thread-safe.

    Pause and resume undo each other: resuming a paused channel makes it as it was before the pause. Scaling a channel
    that an autoscaler looks after holds it at that number, as KEDA's `paused-replicas` does; resuming it by name (it
    is not paused then) gives it back to the autoscaler. Scaling a paused channel changes what it is resumed with.
    """

    @property
    def kind(self) -> Literal["local", "kubernetes", "none"]:
        """Who runs the fleet; none: there is nothing to control, and every other method says so."""

    def fleet(self) -> FleetView:
        """Look at all channels' workers."""

    def learn(self, readings: Mapping[str, WorkerReading]) -> None:
        """Take what the workers, by name, told of themselves, where whoever runs them can't see it.

        A scale-down is to take idle workers first, and views are to show the memory. Called every few seconds.
        """

    def pause(self, channel: str | None) -> None:
        """Take nothing more from the queue of `channel`, or of all; workers finish what they hold.

        Raises UnknownChannel.
        """

    def resume(self, channel: str | None) -> None:
        """Let `channel`, or all that are paused, go on as before the pause.

        A channel that is named, held and not paused goes back to its autoscaler. Raises UnknownChannel.
        """

    def scale(self, channel: str, count: int) -> None:
        """Run `count` workers; surplus ones finish what they hold. Raises UnknownChannel, ControlRefused."""

    def start_replay(self, request: ReplayRequest) -> ReplayRun:
        """Put dead letters back. Raises UnknownChannel, and ControlRefused while another replay of the channel runs."""

    def replays(self) -> tuple[ReplayRun, ...]:
        """List replays that run or lately ended, newest first."""

    def replay(self, run_id: str) -> ReplayRun:
        """Look at one replay. Raises UnknownReplay."""

    def stop_replay(self, run_id: str) -> None:
        """Ask a replay to end; nothing is lost, what it has not moved stays. No effect on one that has ended.

        Raises UnknownReplay.
        """
