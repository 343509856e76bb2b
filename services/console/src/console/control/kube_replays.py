"""Replays on Kubernetes: Jobs that outlive the console."""

import threading
from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, datetime

from console.control.fleet_control import ControlRefused, ControlUnavailable, ReplayRequest, ReplayRun, UnknownReplay
from console.control.kube_api import Json, KubeApi
from console.control.kube_errors import Absent, Conflict
from console.control.kube_names import REPLAYER, selector
from console.control.kube_replay_job import has_ended, is_replay_of, next_name, read_replay, replay_job

#: Lines at the end of a log among which the last progress is looked for.
_TAIL = 50

#: Runs that have ended, or were stopped by this console, whose end is remembered.
_REMEMBERED = 200


class KubeReplays:
    """The replays of one release."""

    def __init__(self, api: KubeApi, release: str) -> None:
        self._api, self._release = api, release
        self._selector = selector(release, REPLAYER)
        self._lock = threading.Lock()
        #: What can't change any more: runs that ended, and the last sight of those that this console stopped.
        self._known: dict[str, ReplayRun] = {}
        self._stopped: dict[str, ReplayRun] = {}

    def start(self, request: ReplayRequest) -> ReplayRun:
        """See FleetControl."""
        jobs = self._jobs()
        for job in jobs:
            if is_replay_of(job, request.channel) and not has_ended(job):
                raise ControlRefused(
                    f"A replay of {request.channel} runs ({job['metadata']['name']}): wait for its end, or stop it."
                )
        name = next_name(self._release, request.channel, jobs, datetime.now(UTC))
        manifest = replay_job(self._template(), self._release, request, name)
        try:
            created = self._api.create("batch", "jobs", manifest)
        except Conflict:
            raise ControlRefused(f"Somebody else started a replay of {request.channel} at the same moment.") from None
        return read_replay(created, None, "")

    def runs(self) -> tuple[ReplayRun, ...]:
        """See FleetControl."""
        jobs = self._jobs()
        runs = {run.id: run for run in self._read(jobs)}
        gone = {name: _stopped(run) for name, run in self._stopped.items() if name not in runs}
        newest = sorted((gone | runs).values(), key=lambda run: (run.started_at is None, run.started_at), reverse=True)
        return tuple(newest)

    def find(self, run_id: str) -> ReplayRun:
        """See FleetControl."""
        for run in self.runs():
            if run.id == run_id:
                return run
        raise UnknownReplay(f"No replay {run_id} is known.")

    def stop(self, run_id: str) -> None:
        """See FleetControl."""
        run = self.find(run_id)
        if run.ended or run.state == "stopping":
            return
        try:
            self._api.delete("batch", "jobs", run_id)
        except Absent:  # it ended meanwhile, or somebody else stopped it
            return
        self._remember(self._stopped, run)

    def _read(self, jobs: Iterable[Json]) -> Iterable[ReplayRun]:
        pods: dict[str, Json] | None = None
        for job in jobs:
            name = job["metadata"]["name"]
            if name in self._known:
                yield self._known[name]
                continue
            if pods is None:
                listed = self._api.find("", "pods", self._selector)
                pods = {each["metadata"].get("labels", {}).get("job-name", ""): each for each in listed}
            pod = pods.get(name)
            run = read_replay(job, pod, self._log(pod) if pod else "")
            if run.ended:
                self._remember(self._known, run)
            elif name in self._stopped:
                self._stopped[name] = run
            yield run

    def _log(self, pod: Json) -> str:
        container = pod["spec"]["containers"][0]["name"]
        try:
            return self._api.log_tail(pod["metadata"]["name"], container, _TAIL)
        except (Absent, ControlRefused):  # no container yet, or no more
            return ""

    def _jobs(self) -> list[Json]:
        return self._api.find("batch", "jobs", self._selector)

    def _template(self) -> Json:
        cron_jobs = self._api.find("batch", "cronjobs", self._selector)
        if not cron_jobs:
            raise ControlUnavailable(
                f"The release {self._release} has no replayer: no CronJob in namespace {self._api.namespace} has the"
                f" labels {self._selector}."
            )
        return cron_jobs[0]

    def _remember(self, runs: dict[str, ReplayRun], run: ReplayRun) -> None:
        with self._lock:
            runs[run.id] = run
            for old in list(runs)[:-_REMEMBERED]:
                del runs[old]


def _stopped(run: ReplayRun) -> ReplayRun:
    """Give the end of a run whose Job is gone because this console deleted it."""
    return replace(run, state="stopped", ended_at=run.ended_at or datetime.now(UTC))
