"""A burst spread over some seconds, what became of it second by second, and what the planner had said of it."""

import json
import time
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from whole_fleet import PATIENCE_S, WholeFleet

#: Seconds between two portions of a burst.
_PORTION_S = 0.25


@dataclass(frozen=True)
class Course:
    """A real burst. Seconds since its first message; depth counts what is not finished, wherever it is."""

    drained_s: float
    peak_depth: int
    took_to_send_s: float


@dataclass(frozen=True)
class Prediction:
    """The planner's middle, and all its runs between low and high."""

    drained_s: float
    peak_depth: float
    plan: dict[str, Any]

    def error_of(self, real: Course) -> tuple[float, float]:
        """By how much drain time and peak depth are off, as shares of the real ones."""
        return (self.drained_s / real.drained_s - 1, self.peak_depth / real.peak_depth - 1)


def predict(fleet: WholeFleet, channel: str, *options: str) -> Prediction:
    """Ask the command line, as an operator does."""
    plan = json.loads(fleet.mediaflow("plan", "--channel", channel, "--no-search", "--json", *options))
    ahead = plan["forecast"]
    return Prediction(ahead["drained"]["median"], ahead["peakDepth"]["median"], plan)


def send(fleet: WholeFleet, channel: str, count: int, over_s: float) -> Course:
    """Send `count` simulated assets evenly over `over_s` seconds and watch them until the last one is finished."""
    before = len(_ends(fleet, channel))
    began, sent = time.time(), []
    portions = max(1, round(over_s / _PORTION_S))
    for number in range(portions):
        time.sleep(max(0.0, began + number * _PORTION_S - time.time()))
        share = count * (number + 1) // portions - count * number // portions
        body = json.dumps({"count": share}).encode()
        status, _, answer = fleet.post("/media/burst", body, "application/json")
        assert (status, answer["confirmed"]) == (202, share), answer
        sent += [time.time()] * share
    fleet.until(lambda: len(_ends(fleet, channel)) >= before + count)
    ends = sorted(_ends(fleet, channel))[before:]
    assert len(ends) == count, f"{len(ends)} ends of {count} messages"
    assert ends[-1] - began < PATIENCE_S
    steps = sorted([(at, 1) for at in sent] + [(at, -1) for at in ends])
    depth = peak = 0
    for _, change in steps:
        depth += change
        peak = max(peak, depth)
    return Course(ends[-1] - sent[0], peak, sent[-1] - sent[0])


def _ends(fleet: WholeFleet, channel: str) -> list[float]:
    """When jobs were done, by the workers' own logs (Unix seconds)."""
    found = []
    for log in fleet.folder.logs.glob(f"{channel}-*.log"):
        for line in log.read_text(errors="replace").splitlines():
            if '"job_done"' in line and line.endswith("}"):
                found.append(datetime.fromisoformat(json.loads(line)["timestamp"].replace("Z", "+00:00")).timestamp())
    return found
