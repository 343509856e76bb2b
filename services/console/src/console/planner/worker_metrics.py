"""What one worker has counted, read from the text of its /metrics. Pure."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from console.control.fleet_control import WorkerReading

#: The counters and the histogram of a worker that say how its jobs went.
_LINE = re.compile(
    r"^mediaflow_(jobs_total|job_failed_attempts_total|job_seconds_bucket|job_seconds_sum)\{([^}]*)\} (\S+)$",
    re.MULTILINE,
)
#: The gauges that say how it is doing.
_STATE = re.compile(
    r'^(mediaflow_jobs_oldest_seconds\{channel="([^"]*)"\}|process_resident_memory_bytes) (\S+)$', re.MULTILINE
)
_LABEL = re.compile(r'(\w+)="([^"]*)"')


@dataclass(frozen=True, slots=True)
class WorkerCounters:
    """Totals since a worker's start. ``counts``: each bucket's own, the one above all ``bounds`` (seconds) last."""

    bounds: tuple[float, ...] = ()
    counts: tuple[int, ...] = ()
    seconds: float = 0.0
    ends: Mapping[str, int] = field(default_factory=dict)
    failed_attempts: Mapping[str, int] = field(default_factory=dict)

    @property
    def jobs(self) -> int:
        """Jobs whose time was taken."""
        return sum(self.counts)

    def since(self, earlier: "WorkerCounters") -> "WorkerCounters":
        """Give what was counted after ``earlier``; all of it when the counters began anew in between."""
        if earlier.bounds != self.bounds or earlier.jobs > self.jobs or earlier.seconds > self.seconds + 1e-6:
            return self
        return WorkerCounters(
            self.bounds,
            tuple(now - then for now, then in zip(self.counts, earlier.counts, strict=True)),
            max(0.0, self.seconds - earlier.seconds),
            _less(self.ends, earlier.ends),
            _less(self.failed_attempts, earlier.failed_attempts),
        )

    def plus(self, other: "WorkerCounters") -> "WorkerCounters":
        """Give both together. Workers of different releases may have different buckets: the first ones' are kept."""
        if not other.bounds or (self.bounds and other.bounds != self.bounds):
            return self
        counts = self.counts or (0,) * len(other.counts)
        return WorkerCounters(
            other.bounds,
            tuple(one + another for one, another in zip(counts, other.counts, strict=True)),
            self.seconds + other.seconds,
            _sum(self.ends, other.ends),
            _sum(self.failed_attempts, other.failed_attempts),
        )


NOTHING_COUNTED = WorkerCounters()


def read_counters(text: str, channel: str) -> WorkerCounters:
    """Read what a worker of ``channel`` has counted; nothing where the text holds nothing of it."""
    cumulative: dict[float, int] = {}
    ends: dict[str, int] = {}
    failed: dict[str, int] = {}
    seconds = 0.0
    for name, labels_text, value in _LINE.findall(text):
        labels = dict(_LABEL.findall(labels_text))
        if labels.get("channel") != channel:
            continue
        match name:
            case "job_seconds_bucket":
                cumulative[float(labels["le"])] = int(float(value))
            case "job_seconds_sum":
                seconds = float(value)
            case "jobs_total":
                ends[labels["outcome"]] = int(float(value))
            case _:
                failed[labels["kind"]] = int(float(value))
    bounds = sorted(cumulative)
    upto = [cumulative[bound] for bound in bounds]
    counts = tuple(now - then for now, then in zip(upto, (0, *upto), strict=False))
    return WorkerCounters(tuple(bounds[:-1]), counts, seconds, ends, failed)


def read_reading(text: str, channel: str) -> WorkerReading:
    """Read how a worker of ``channel`` is doing, as far as the text tells."""
    oldest_job_s, memory_bytes = None, None
    for _, of_channel, value in _STATE.findall(text):
        if not of_channel:
            memory_bytes = int(float(value))
        elif of_channel == channel:
            oldest_job_s = float(value)
    return WorkerReading(oldest_job_s, memory_bytes)


def _less(now: Mapping[str, int], then: Mapping[str, int]) -> dict[str, int]:
    return {name: count - then.get(name, 0) for name, count in now.items()}


def _sum(one: Mapping[str, int], another: Mapping[str, int]) -> dict[str, int]:
    return {name: one.get(name, 0) + another.get(name, 0) for name in {*one, *another}}
