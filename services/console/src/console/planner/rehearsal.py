"""One run of a situation through the simulator."""

import random
from collections.abc import Callable
from dataclasses import dataclass

from console.planner.situation import Situation
from console.simulator.durations import Measured as Samples
from console.simulator.model import Faults, Producers, Queue, Retries, Setting
from console.simulator.model import Workers as SimulatedWorkers
from console.simulator.policies import Fixed, Policy, QueueLength
from console.simulator.readings import Readings
from console.simulator.simulation import Simulation


@dataclass(frozen=True, slots=True)
class Point:
    """The channel at one moment: seconds from now, messages waiting and in process, the oldest one's age, workers."""

    at: float
    ready: int
    unacked: int
    lag_s: float
    workers: int


@dataclass(frozen=True, slots=True)
class Course:
    """How one run went.

    drained_s: when nothing waited any more of a backlog or a burst, and where nothing else arrives, when everything was
    finished; None when it never came to that. worker_s: worker-seconds that were paid for until ``end_s``. left:
    messages that wait or are in process then.
    """

    points: tuple[Point, ...]
    end_s: float
    drained_s: float | None
    peak_depth: int
    peak_lag_s: float
    most_workers: int
    worker_s: float
    finished: int
    dead: int
    left: int


def setting_of(situation: Situation) -> Setting:
    """Give the simulator's setting. A job that fails for good keeps its place as long as all its attempts together."""
    empty_s = situation.overhead.value
    jobs = situation.jobs
    return Setting(
        # A burst over some seconds is a number somebody named: it comes as named, not by chance.
        producers=Producers(
            count=1, rates=_rates(situation), pattern="even" if _comes_by_and_by(situation) else "poisson"
        ),
        queue=Queue(capacity=None, back_pressure=None),
        workers=SimulatedWorkers(
            service=Samples(samples_s=tuple(point + empty_s for point in jobs.good.points)),
            concurrency=situation.concurrency,
            prefetch=situation.prefetch,
            # Figures that are old by the time they are seen delay every start alike.
            start_up=Samples(
                samples_s=tuple(each + situation.rule.figures_age_s / 2 for each in situation.starts.points)
            ),
        ),
        scaling=_policy(situation),
        faults=Faults(
            poison=jobs.failing_share,
            poison_hang=Samples(samples_s=tuple(point + empty_s for point in jobs.failing.points)),
        ),
        retries=Retries(count=0),
    )


def rehearse(
    situation: Situation,
    seed: int,
    horizon_s: float,
    *,
    step_s: float,
    stop: Callable[[Readings], bool] = lambda _: False,
) -> Course:
    """Simulate until ``horizon_s``, or until ``stop`` says so of a look; one look every ``step_s`` seconds."""
    phase = random.Random(f"{seed}:first look").random()  # noqa: S311 - a simulation
    simulation = Simulation(
        setting_of(situation),
        seed=seed,
        backlog=situation.backlog + (0 if _comes_by_and_by(situation) else situation.burst),
        backlog_age_s=situation.backlog_age_s,
        workers=situation.workers,
        first_look_s=phase * situation.rule.poll_s,
    )
    points: list[Point] = []
    drained_s, peak_depth, most_workers = None, 0, 0
    step, look = 0, simulation.read()
    while True:
        depth = look.depth + look.in_process
        peak_depth = max(peak_depth, depth)
        alive = look.starting + look.running + look.stopping
        most_workers = max(most_workers, alive)
        points.append(Point(look.time_s, look.depth, look.in_process, look.lag_s, alive))
        if situation.work and drained_s is None and look.time_s > 0 and _is_drained(situation, look):
            drained_s = look.time_s
        if look.time_s >= horizon_s or stop(look):
            break
        step += 1
        simulation.run_until(min(step * step_s, horizon_s))
        look = simulation.read()
    return Course(
        points=tuple(points),
        end_s=look.time_s,
        drained_s=drained_s,
        peak_depth=peak_depth,
        peak_lag_s=look.longest_lag_s,
        most_workers=most_workers,
        worker_s=look.worker_s,
        finished=look.counts.done,
        dead=look.counts.dead,
        left=look.depth + look.in_process,
    )


def _is_drained(situation: Situation, look: Readings) -> bool:
    if look.depth > 0 or (_comes_by_and_by(situation) and look.time_s < situation.burst_over_s):
        return False
    return situation.arrival.value > 0 or look.in_process == 0


def _comes_by_and_by(situation: Situation) -> bool:
    return situation.burst > 0 and situation.burst_over_s > 0


def _rates(situation: Situation) -> tuple[tuple[float, float], ...]:
    steady = situation.arrival.value
    if not _comes_by_and_by(situation):
        return ((0.0, steady),)
    over_s = situation.burst_over_s
    return ((0.0, steady + situation.burst / over_s), (over_s, steady))


def _policy(situation: Situation) -> Policy:
    rule = situation.rule
    if not rule.follows:
        return Fixed(count=situation.workers, interval_s=rule.poll_s)
    return QueueLength(
        per_worker=rule.target,
        minimum=rule.fewest,
        maximum=rule.most,
        interval_s=rule.poll_s,
        cooldown_s=rule.cooldown_s,
        tolerance=rule.tolerance,
    )
