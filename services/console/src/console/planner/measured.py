"""What this fleet's last minutes say about one channel."""

from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import TypeAdapter

from console.planner.arrivals_seen import Peak
from console.planner.attempts import JobMix, mix_of, simulated_mix
from console.planner.figures import Figure, assumed, configured, measured
from console.planner.job_times import JobTimes, constant
from console.planner.scaling_rule import ScalingRule
from console.planner.slot_cycle import Moment, slot_cycle
from console.planner.tally import Counted
from mq_common.channels import ChannelSpec

#: Seconds of jobs that "of late" means.
WINDOW_S = 300.0
#: Jobs that make a distribution; a window with fewer is made longer.
ENOUGH_JOBS = 30
#: What a message costs besides its job where the queue was never full enough to see it, in seconds.
USUAL_OVERHEAD_S = 0.005
#: How long a worker needs to start where none was seen to, in seconds: a pod, and a process.
USUAL_START_S = {"kubernetes": 15.0}
USUAL_PROCESS_START_S = 1.5
#: Jobs that began together end together: a stretch of full queue is right to one round in as many as it holds. Only for
#: jobs so short that there are many does it tell more than the usual value. Seconds, and rounds.
_LEAST_STRETCH_S, _LEAST_ROUNDS = 10.0, 100.0


@dataclass(frozen=True, slots=True)
class Measured:
    """One channel as it is: its figures with their provenance, and the distributions behind them.

    arrival: messages per second of late; usual_arrival: over all the minutes that are remembered; peak: their busiest
    half minute. job: seconds. failing: share of messages 0–1 that end as dead letters. overhead: seconds a place of a
    worker stands empty between two jobs. start: seconds until a new worker takes messages. The rest: as it is now.
    """

    channel: str
    arrival: Figure
    usual_arrival: Figure
    peak: Peak | None
    job: Figure
    failing: Figure
    overhead: Figure
    start: Figure
    ready: int
    unacked: int
    oldest_s: float
    workers: int
    jobs: JobMix
    starts: JobTimes
    concurrency: int
    prefetch: int
    rule: ScalingRule
    #: What has to be known about these figures, as keys of console.planner.words.
    remarks: tuple[str, ...] = ()


#: Figures as JSON and back, with the distributions behind them.
MEASURED: TypeAdapter[Measured] = TypeAdapter(Measured)


@dataclass(frozen=True, slots=True)
class Seen:
    """What was seen of a channel. ``moments``: looks at its queue, oldest first. ``peak``: the busiest half minute."""

    arrival: Figure
    usual_arrival: Figure
    peak: Peak | None
    moments: Sequence[Moment]
    counted: Counted
    starts: JobTimes | None
    ready: int
    unacked: int
    oldest_s: float
    workers: int


def measure(spec: ChannelSpec, seen: Seen, rule: ScalingRule, kind: str, *, simulated: bool) -> Measured:
    """Turn what was seen into figures; what was not seen is taken from the channels file, and says so.

    simulated: whether jobs without a history are those of the channel's pretended provider.
    """
    mix, job, failing = _jobs(spec, seen.counted, simulated)
    starts = seen.starts or constant(USUAL_START_S.get(kind, USUAL_PROCESS_START_S))
    start = measured(starts.mean_s, len(starts.points)) if seen.starts else assumed(starts.mean_s)
    remarks = []
    if seen.counted.since_start:
        remarks.append("since_start")
    if job.source != "measured":
        remarks.append("no_jobs_seen")
    return Measured(
        channel=spec.name,
        arrival=seen.arrival,
        usual_arrival=seen.usual_arrival,
        peak=seen.peak,
        job=job,
        failing=failing,
        overhead=_overhead(spec, seen.moments, mix),
        start=start,
        ready=seen.ready,
        unacked=seen.unacked,
        oldest_s=seen.oldest_s,
        workers=seen.workers,
        jobs=mix,
        starts=starts,
        concurrency=spec.concurrency,
        prefetch=spec.prefetch,
        rule=rule,
        remarks=tuple(remarks),
    )


def _jobs(spec: ChannelSpec, counted: Counted, simulated: bool) -> tuple[JobMix, Figure, Figure]:
    counters = counted.counters
    if counters.jobs:
        mix = mix_of(counters, spec.retries)
        return (
            mix,
            measured(counters.seconds / counters.jobs, counters.jobs, counted.seconds),
            measured(mix.failing_share, counters.jobs, counted.seconds),
        )
    pretended = simulated_mix(spec.simulated.latency_ms / 1000, spec.simulated.failure_rate, spec.retries)
    source = configured if simulated else assumed
    return pretended, source(pretended.mean_s), source(pretended.failing_share)


def _overhead(spec: ChannelSpec, moments: Sequence[Moment], mix: JobMix) -> Figure:
    least_s = max(_LEAST_STRETCH_S, _LEAST_ROUNDS * mix.mean_s)
    cycle = slot_cycle(moments, spec.concurrency, least_s)
    if cycle is None:
        return assumed(USUAL_OVERHEAD_S)
    return measured(max(0.0, cycle.seconds - mix.mean_s), cycle.rounds)
