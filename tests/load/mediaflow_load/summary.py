"""A run's summary, for people and for programs, and whether it was good enough. Pure."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mediaflow_load.answers import OUTCOMES
from mediaflow_load.settings import LoadSettings
from mediaflow_load.tally import Tally, percentile

#: Kinds of trouble that are told, the most frequent first.
_TROUBLES = 5
#: A request is late when it was sent so many seconds after it was due: then something could not keep up.
_LATE_S = 1.0


@dataclass(frozen=True, slots=True)
class Threshold:
    """A limit that was set, and what came."""

    name: str
    limit: float
    value: float

    @property
    def held(self) -> bool:
        """Whether it was kept; a value that nobody could measure does not keep it."""
        return self.value <= self.limit


@dataclass(frozen=True, slots=True)
class Summary:
    """Everything about a run. `stopped`: it was asked to end before it was through. Durations in milliseconds."""

    settings: LoadSettings
    tally: Tally
    seconds: float
    stopped: bool = False

    @property
    def failure_share(self) -> float:
        """Uploads that failed or were given up, of those that have ended."""
        ended = self.tally.uploads
        return (ended - self.tally.ends["accepted"]) / ended if ended else math.nan

    @property
    def thresholds(self) -> tuple[Threshold, ...]:
        """Those that were set."""
        judged = [Threshold("max_failures", self.settings.max_failures, self.failure_share)]
        if self.settings.max_p95_ms is not None:
            judged.append(Threshold("max_p95_ms", self.settings.max_p95_ms, self._ms(self.tally.seconds, 0.95)))
        return tuple(judged)

    @property
    def passed(self) -> bool:
        """Whether every threshold was kept."""
        return all(each.held for each in self.thresholds)

    def as_json(self) -> dict[str, Any]:
        """Give it for programs."""
        tally = self.tally
        return {
            "host": self.settings.host,
            "passed": self.passed,
            "stopped": self.stopped,
            "uploads": {
                "wanted": self.settings.requests,
                "ended": tally.uploads,
                "accepted": tally.ends["accepted"],
                "failed": tally.ends["failed"],
                "given_up": tally.ends["given_up"],
            },
            "requests": {"total": tally.requests} | {name: tally.answers[name] for name in OUTCOMES},
            "response_ms": self._spread(tally.seconds, (0.5, 0.95, 0.99)),
            "late_ms": self._spread(tally.late, (0.5, 0.95, 0.99)),
            "rate": {"target": self.settings.rate, "peak": round(tally.peak_rate(), 1), "mean": self._mean_rate()},
            "seconds": round(self.seconds, 1),
            "troubles": dict(tally.troubles.most_common(_TROUBLES)),
            "thresholds": [
                {"name": each.name, "limit": each.limit, "value": _number(each.value), "held": each.held}
                for each in self.thresholds
            ],
        }

    def as_text(self) -> str:
        """Give it for people."""
        told = self.as_json()
        ends, requests, rate = told["uploads"], told["requests"], told["rate"]
        pushed = requests["shed"] + requests["unavailable"]
        lines = [
            f"{'stopped early' if self.stopped else 'load test'}: {self.settings.host}",
            f"  uploads    {ends['ended']:,} of {ends['wanted']:,} · accepted {ends['accepted']:,}"
            f" · failed {ends['failed']:,} · given up {ends['given_up']:,}",
            f"  requests   {requests['total']:,} in {told['seconds']:,} s · top {rate['peak']:,}/s"
            f" of {rate['target']:,}/s · mean {rate['mean']:,}/s",
            f"  answers    p50 {_ms(told['response_ms']['p50'])} · p95 {_ms(told['response_ms']['p95'])}"
            f" · p99 {_ms(told['response_ms']['p99'])} · longest {_ms(told['response_ms']['max'])}",
            f"  pushed back {pushed:,} (429: {requests['shed']:,}, 503: {requests['unavailable']:,})"
            f" · failures {requests['refused'] + requests['error']:,} of {requests['total']:,} requests",
            *(f"    {count:,} × {what}" for what, count in told["troubles"].items()),
            *self._late(told["late_ms"]),
            *map(_judged, self.thresholds),
        ]
        return "\n".join(lines)

    def _late(self, late: Mapping[str, float | None]) -> list[str]:
        if (late["max"] or 0.0) < _LATE_S * 1000:
            return []
        return [
            f"  sent late  p95 {_ms(late['p95'])} · longest {_ms(late['max'])}: no user was free, or this machine was"
            " too busy (more users, or a lower rate)"
        ]

    def _mean_rate(self) -> float:
        return round(self.tally.requests / self.seconds, 1) if self.seconds > 0 else 0.0

    def _spread(self, values: Sequence[float], shares: Sequence[float]) -> dict[str, float | None]:
        spread = {f"p{share * 100:g}": _number(self._ms(values, share)) for share in shares}
        return spread | {"max": _number(self._ms(values, 1.0))}

    @staticmethod
    def _ms(values: Sequence[float], share: float) -> float:
        return round(1000 * percentile(values, share), 1)


def _judged(threshold: Threshold) -> str:
    told = "held" if threshold.held else "MISSED"
    return f"  {threshold.name} {threshold.limit:g}: {threshold.value:g} — {told}"


def _ms(value: float | None) -> str:
    return "—" if value is None else f"{value:,} ms"


def _number(value: float) -> float | None:
    """JSON has no NaN."""
    return None if math.isnan(value) else value
