"""Keeps an eye on every channel, so that figures are there when somebody asks."""

import math
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Literal

import structlog
import urllib3

from console.control.fleet_control import ControlError, FleetControl, WorkerView
from console.fleet.feed import FleetFeed
from console.planner.arrivals_seen import KEEP_S
from console.planner.measured import ENOUGH_JOBS, WINDOW_S, Measured, Seen, measure
from console.planner.observed import ObservedChannel
from console.planner.scaling_rule import rule_of
from console.planner.worker_metrics import read_counters, read_reading
from mq_common.channels import ChannelSpec

log = structlog.get_logger()

#: Seconds between two readings. A worker needs half a millisecond to answer one.
INTERVAL_S = 5.0
#: Seconds that a worker gets to answer, and how many are asked at the same time.
_ANSWER_S, _AT_ONCE = 2.0, 4


class Measurer:
    """Reads the workers' counters every few seconds on its own thread, and the fleet's history along with them."""

    def __init__(
        self,
        control: FleetControl,
        feed: FleetFeed,
        channels: Callable[[], Mapping[str, ChannelSpec]],
        *,
        profile: Literal["media", "simulated"],
        cooldown_s: float,
    ) -> None:
        """``cooldown_s``: the local autoscaler's patience on the way down."""
        self._control, self._feed, self._channels = control, feed, channels
        self._profile, self._cooldown_s = profile, cooldown_s
        self._http = urllib3.PoolManager(num_pools=64, timeout=_ANSWER_S, retries=False)
        self._readers = ThreadPoolExecutor(_AT_ONCE, "planner-reader")  # makes its threads when they are needed
        self._observed: dict[str, ObservedChannel] = {}
        self._lock = threading.Lock()
        self._seen_number = -(10**9)
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, name="planner-measurer", daemon=True)
        self._control_answers = True
        self._control_learns = True

    def start(self) -> None:
        """Begin to look."""
        self._thread.start()

    def stop(self) -> None:
        """Stop looking; waits two seconds at most."""
        self._stopped.set()
        if self._thread.ident is not None:
            self._thread.join(2.0)

    def measured(self, channel: str) -> Measured | None:
        """Give what is known of a channel; None when there is no such channel in the channels file."""
        spec = self._channels().get(channel)
        if spec is None:
            return None
        with self._lock:
            observed = self._observed.get(channel) or ObservedChannel()
            seen = Seen(
                arrival=observed.arrivals.steady,
                usual_arrival=observed.arrivals.over(KEEP_S),
                peak=observed.arrivals.peak,
                moments=tuple(observed.moments),
                counted=observed.tally.over(WINDOW_S, ENOUGH_JOBS),
                starts=observed.starts.times,
                ready=observed.now.ready,
                unacked=observed.now.unacked,
                oldest_s=observed.now.oldest_s,
                workers=_working(observed),
            )
            rule = rule_of(spec, observed.workers, self._control.kind, self._cooldown_s)
        return measure(spec, seen, rule, self._control.kind, simulated=self._profile == "simulated")

    def look(self) -> None:
        """Read everything once."""
        workers = self._workers()
        asked = self._ask(workers)
        self._tell_control(asked)
        readings = {
            name: {_identity(each): read_counters(text, name) for each, text in texts} for name, texts in asked.items()
        }
        now = time.monotonic()
        samples = self._feed.history.since(self._seen_number)
        if samples:
            self._seen_number = samples[-1].number
        with self._lock:
            for name in self._channels():
                observed = self._observed.setdefault(name, ObservedChannel())
                if name in readings:
                    observed.take_counters(now, readings[name])
                observed.take_queue(name, samples)

    def _run(self) -> None:
        while not self._stopped.is_set():
            try:
                self.look()
            except Exception:  # whatever it is, the next figures are seconds away
                log.exception("measuring_failed")
            self._stopped.wait(INTERVAL_S)
        self._readers.shutdown(wait=False, cancel_futures=True)

    def _workers(self) -> dict[str, tuple[WorkerView, ...]]:
        """Give the workers by channel; none while whoever runs them does not answer."""
        try:
            view = self._control.fleet()
        except ControlError as error:
            if self._control_answers:
                log.info("workers_not_measured", reason=str(error))
            self._control_answers = False
            return {}
        self._control_answers = True
        broker_since = self._broker_since()
        with self._lock:
            for name, workers in view.channels.items():
                self._observed.setdefault(name, ObservedChannel()).take_workers(workers, broker_since)
        return {name: workers.workers for name, workers in view.channels.items()}

    def _broker_since(self) -> float:
        look = self._feed.look
        return look.broker.since if look is not None and look.broker.answers else math.inf

    def _ask(self, workers: Mapping[str, Iterable[WorkerView]]) -> dict[str, list[tuple[WorkerView, str]]]:
        """Give by channel each worker with what it told; those that do not answer are left out."""
        asked = [(name, each) for name, views in workers.items() for each in views if each.metrics_url]
        texts = self._readers.map(self._text_of, [each.metrics_url or "" for _, each in asked])
        found: dict[str, list[tuple[WorkerView, str]]] = {name: [] for name in workers}
        for (name, each), text in zip(asked, texts, strict=True):
            if text is not None:
                found[name].append((each, text))
        return found

    def _tell_control(self, asked: Mapping[str, Iterable[tuple[WorkerView, str]]]) -> None:
        """Let whoever runs the workers know how they are doing; log once when it does not take it."""
        readings = {each.name: read_reading(text, name) for name, texts in asked.items() for each, text in texts}
        try:
            self._control.learn(readings)
        except ControlError as error:
            if self._control_learns:
                log.warning("busy_workers_not_marked", reason=str(error), tip="a scale-down may take a busy one first")
            self._control_learns = False
        else:
            self._control_learns = True

    def _text_of(self, url: str) -> str | None:
        try:
            answer = self._http.request("GET", url)
        except urllib3.exceptions.HTTPError:  # it is starting or ending
            return None
        return answer.data.decode(errors="replace") if answer.status == 200 else None


def _identity(worker: WorkerView) -> str:
    """Give a name that a restart changes."""
    return f"{worker.name}@{worker.started_at.timestamp() if worker.started_at else 0}"


def _working(observed: ObservedChannel) -> int:
    """Give the workers that take messages or will in a moment; those that the broker sees where nobody else tells."""
    if observed.workers is None:
        return observed.moments[-1].consumers if observed.moments else 0
    return sum(worker.state in ("ready", "starting") for worker in observed.workers.workers)
