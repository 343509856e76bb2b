"""The fleet on this machine: its supervisor is asked over its control socket."""

from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal, NoReturn

from console.control.fleet_control import (
    MOST_WORKERS,
    ChannelWorkers,
    ControlError,
    ControlRefused,
    ControlUnavailable,
    FleetView,
    ReplayRequest,
    ReplayRun,
    UnknownChannel,
    UnknownReplay,
    WorkerReading,
    WorkerState,
    WorkerView,
)
from console.control.replay_progress import ReplayProcess, replay_run
from console.control.replay_words import replay_arguments, request_as_json, request_from_json
from local_fleet.control import ControlClient, Trouble
from local_fleet.errors import FleetNotUp

#: The supervisor's words for a worker's life that are not ours.
_STATES: Mapping[str, WorkerState] = {"restarting": "waiting", "stopped": "stopping"}

_ERRORS: Mapping[str, type[ControlError]] = {
    Trouble.UNKNOWN_CHANNEL: UnknownChannel,
    Trouble.UNKNOWN_REPLAY: UnknownReplay,
    Trouble.REFUSED: ControlRefused,
    Trouble.STOPPING: ControlUnavailable,
}


class LocalFleetControl:
    """Acts on the fleet whose supervisor listens on `socket`; satisfies FleetControl."""

    kind: Literal["local"] = "local"

    def __init__(self, socket: Path) -> None:
        self._client = ControlClient(socket)

    def fleet(self) -> FleetView:
        """See FleetControl."""
        return read_fleet(self._ask("status"))

    def learn(self, readings: Mapping[str, WorkerReading]) -> None:
        """See FleetControl. The supervisor sees its own processes."""

    def pause(self, channel: str | None) -> None:
        """See FleetControl."""
        self._ask("pause", channel=channel)

    def resume(self, channel: str | None) -> None:
        """See FleetControl."""
        self._ask("resume", channel=channel)

    def scale(self, channel: str, count: int) -> None:
        """See FleetControl."""
        if not 0 <= count <= MOST_WORKERS:
            raise ControlRefused(f"Between 0 and {MOST_WORKERS} workers.")
        self._ask("scale", channel=channel, count=count)

    def start_replay(self, request: ReplayRequest) -> ReplayRun:
        """See FleetControl."""
        arguments, words = replay_arguments(request), request_as_json(request)
        return read_run(self._ask("replay", channel=request.channel, arguments=arguments, request=words)["replay"])

    def replays(self) -> tuple[ReplayRun, ...]:
        """See FleetControl."""
        return tuple(map(read_run, self._ask("replays")["replays"]))

    def replay(self, run_id: str) -> ReplayRun:
        """See FleetControl."""
        for run in self.replays():
            if run.id == run_id:
                return run
        raise UnknownReplay(f"No replay {run_id} is known.")

    def stop_replay(self, run_id: str) -> None:
        """See FleetControl."""
        self._ask("stop-replay", id=run_id)

    def _ask(self, do: str, **arguments: Any) -> dict[str, Any]:
        try:
            answer = self._client.ask(do, **arguments)
        except FleetNotUp as error:
            raise ControlUnavailable(f"{_sentence(str(error))} `make up` starts the fleet.") from None
        if "error" in answer:
            _raise(answer)
        return answer


def read_fleet(status: Mapping[str, Any]) -> FleetView:
    """Read the supervisor's status. Pure."""
    by_channel: dict[str, list[WorkerView]] = {name: [] for name in status["channels"]}
    for process in status["processes"]:
        crew = by_channel.get(process["name"].rpartition("-")[0])
        if crew is not None:
            crew.append(_read_worker(process))
    channels = {name: _read_channel(name, each, by_channel[name]) for name, each in status["channels"].items()}
    return FleetView(channels)


def read_run(run: Mapping[str, Any]) -> ReplayRun:
    """Read what the supervisor tells of a replay. Pure."""
    process = ReplayProcess(
        started_at=_time(run["started_at"]),
        ended_at=_time(run["ended_at"]),
        stopping=run["stopping"],
        exit_code=run["exit_code"],
        said=run["said"],
    )
    return replay_run(run["id"], request_from_json(run["request"], run["channel"]), process, run["progress"])


def _read_channel(name: str, channel: Mapping[str, Any], workers: list[WorkerView]) -> ChannelWorkers:
    return ChannelWorkers(
        name=name,
        workers=tuple(workers),
        wanted=channel["wanted"],
        minimum=channel["min"],
        maximum=channel["max"],
        paused=channel["paused"],
        scaled_by=channel["scaled_by"],
        held=channel["held"],
    )


def _read_worker(process: Mapping[str, Any]) -> WorkerView:
    state = process["state"]
    return WorkerView(
        name=process["name"],
        state=_STATES.get(state, state),
        started_at=_time(process["started_at"]),
        ready_at=_time(process["ready_at"]),
        restarts=process["restarts"],
        memory_bytes=process["memory"],
        metrics_url=process["metrics"],
        reason=process["reason"],
    )


def _time(seconds: float | None) -> datetime | None:
    return None if seconds is None else datetime.fromtimestamp(seconds, UTC)


def _raise(answer: Mapping[str, Any]) -> NoReturn:
    raise _ERRORS.get(answer.get("trouble", ""), ControlUnavailable)(_sentence(answer["error"]))


def _sentence(text: str) -> str:
    """Write what the supervisor says for its command line as a sentence."""
    return f"{text[:1].upper()}{text[1:].rstrip('.')}."
