"""How long jobs take, as a distribution that can be drawn from. Pure."""

import math
import random
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

#: Points a distribution is kept as. Each stands for the same share of the jobs.
POINTS = 256


@dataclass(frozen=True, slots=True)
class JobTimes:
    """Times in seconds, ascending, each as likely as any other. Never empty."""

    points: tuple[float, ...]

    @property
    def mean_s(self) -> float:
        """The mean in seconds."""
        return sum(self.points) / len(self.points)

    @property
    def variation(self) -> float:
        """The standard deviation as a share of the mean: 0 where every job takes the same time."""
        mean = self.mean_s
        if mean <= 0:
            return 0.0
        return math.sqrt(sum((point - mean) ** 2 for point in self.points) / len(self.points)) / mean

    def quantile(self, share: float) -> float:
        """Give the time in seconds that this share (0–1) of the jobs does not exceed."""
        return self.points[min(len(self.points) - 1, int(share * len(self.points)))]

    def draw(self, random_numbers: random.Random) -> float:
        """Draw one job's time in seconds."""
        return self.points[int(random_numbers.random() * len(self.points))]

    def scaled_to(self, mean_s: float) -> "JobTimes":
        """Give the same shape with another mean."""
        mean = self.mean_s
        return JobTimes(tuple(point * mean_s / mean for point in self.points)) if mean > 0 else constant(mean_s)


def constant(seconds: float) -> JobTimes:
    """Give jobs that all take the same time."""
    return JobTimes((seconds,))


def from_histogram(bounds: Sequence[float], counts: Sequence[float], total_s: float) -> JobTimes:
    """Turn a histogram's buckets into a distribution whose mean is exactly ``total_s`` / Σ ``counts``.

    ``bounds`` are the upper bounds in seconds, ascending; ``counts`` are each bucket's own, with one more at the end
    for what was above all bounds. Where in its bucket a value was nobody knows; that all of them together lasted
    ``total_s`` is known. So the values lie evenly around one and the same relative place in every bucket, the place
    that gives this sum. (A bucket that holds everything is thus as narrow as its mean allows.)

    Raises ValueError when there is no value at all.
    """
    count = sum(counts)
    if count <= 0:
        raise ValueError("a histogram without values says nothing")
    spans = list(pairwise((0.0, *bounds)))
    place = _place(spans, counts, total_s)
    half = min(place, 1 - place)
    pieces = [
        (low + (high - low) * (place - half), low + (high - low) * (place + half), each)
        for (low, high), each in zip(spans, counts, strict=False)
        if each > 0
    ]
    if (above := counts[-1]) > 0:
        rest = total_s - sum((low + high) / 2 * each for low, high, each in pieces)
        top = max(bounds[-1], rest / above)
        pieces.append((top, top, above))
    return JobTimes(_points(pieces)).scaled_to(total_s / count)


def _place(spans: Sequence[tuple[float, float]], counts: Sequence[float], total_s: float) -> float:
    """Give the relative place (0–1) in every bucket at which the sum comes out right."""
    if counts[-1] > 0:
        return 0.5  # what was above all bounds takes what is left of the sum
    lowest = sum(low * each for (low, _), each in zip(spans, counts, strict=False))
    width = sum((high - low) * each for (low, high), each in zip(spans, counts, strict=False))
    return min(1.0, max(0.0, (total_s - lowest) / width)) if width > 0 else 0.5


def _points(pieces: Sequence[tuple[float, float, float]]) -> tuple[float, ...]:
    """Give evenly spaced quantiles of pieces (from, to, weight) within which values lie evenly."""
    ends: list[float] = []
    running = 0.0
    for *_, weight in pieces:
        running += weight
        ends.append(running)
    points = []
    for number in range(POINTS):
        rank = (number + 0.5) / POINTS * running
        index = min(bisect_left(ends, rank), len(pieces) - 1)
        low, high, weight = pieces[index]
        points.append(low + (high - low) * (rank - (ends[index] - weight)) / weight)
    return tuple(points)


def without(times: JobTimes, share: float, at_s: float) -> JobTimes:
    """Give the distribution without ``share`` (0–1) of the jobs that took about ``at_s`` seconds each.

    The points nearest to that time are left out; the mean is what the other jobs must have had.
    """
    leave = min(len(times.points) - 1, round(share * len(times.points)))
    if leave <= 0:
        return times
    middle = bisect_right(times.points, at_s)
    start = min(max(0, middle - leave // 2), len(times.points) - leave)
    while start + leave < len(times.points) and times.points[start + leave] - at_s < at_s - times.points[start]:
        start += 1
    while start > 0 and at_s - times.points[start - 1] < times.points[start + leave - 1] - at_s:
        start -= 1
    others = JobTimes(times.points[:start] + times.points[start + leave :])
    mean = (times.mean_s - share * at_s) / (1 - share) if share < 1 else 0.0
    return others.scaled_to(mean) if mean > 0 else others
