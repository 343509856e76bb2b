"""How much faster than real time the simulator's engine is, for the text's setting at its busiest."""

import statistics
import time
from collections.abc import Iterator

from console.simulator.model import Faults, Producers, Setting
from console.simulator.policies import QueueLength
from console.simulator.simulation import Simulation
from mediaflow_bench.row import Row, no_more_than
from mediaflow_bench.workplace import Workplace

SIMULATED_S = 60.0

#: A hundred times faster than real time.
ALLOWED_MS = SIMULATED_S / 100 * 1000

#: Four producers that send more than twelve consumers take, so that back-pressure slows them; failures and retries.
BUSY = Setting(
    producers=Producers.steady(90, pattern="poisson"),
    scaling=QueueLength(maximum=12),
    faults=Faults(transient=0.1, poison=0.01),
)


def measure(workplace: Workplace) -> Iterator[Row]:
    """Measure the engine alone, and as the page uses it."""
    for what, frames in (("by itself", 0), ("as the page plays it, twenty frames a second and every step", 20)):
        runs = [_play(seed, frames) for seed in range(workplace.pick(7, 2))]
        took_ms = statistics.median(runs)
        yield Row(
            f"simulator: a simulated minute, {what}",
            "ms",
            took_ms,
            target=no_more_than(ALLOWED_MS),
            note=f"{SIMULATED_S * 1000 / took_ms:,.0f} times faster than real time",
            samples={"ours": runs},
        )


def _play(seed: int, frames: int) -> float:
    start = time.perf_counter()
    simulation = Simulation(BUSY, seed=seed, trace=bool(frames))
    for frame in range(int(SIMULATED_S * frames)):
        simulation.run_until(frame / frames)
        simulation.read()
        simulation.workers()
        simulation.marked()
        simulation.steps()
    simulation.run_until(SIMULATED_S)
    return (time.perf_counter() - start) * 1000
