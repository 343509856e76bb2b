"""A redelivery storm: messages come again and again and no work ends. A message rate alone shows nothing of it. Pure.

The rule is the alert's (MediaflowRequeueStorm in charts/mediaflow/rules/alerts.yaml; a test keeps both equal). The
page does not wait for its two minutes: what looks like a storm for some seconds is shown as suspected.
"""

from enum import Enum

from console.fleet.counters import Counter

#: Redeliveries per second above which, and acknowledgements per second below which, it is a storm.
REDELIVERED_PER_S = 5.0
ACKED_PER_S = 0.1
#: Seconds over which both are taken, and for which they must hold.
WINDOW_S = 120.0
HOLD_S = 60.0
#: Seconds without any acknowledgement after which many redeliveries are suspicious.
SUSPECT_S = 15.0


class Storm(Enum):
    """What the counters say."""

    NONE = "none"
    SUSPECTED = "suspected"
    RAGING = "raging"


class StormWatch:
    """Watches one queue's counters."""

    def __init__(self) -> None:
        self._since: float | None = None

    def look(self, now: float, redelivered: Counter, acked: Counter) -> Storm:
        """Say what it is at ``now``, in the counters' own seconds."""
        if not _storms(redelivered, acked, WINDOW_S):
            self._since = None
            again, seconds = redelivered.grown(SUSPECT_S)
            suspicious = seconds >= SUSPECT_S - 1 and again > REDELIVERED_PER_S * seconds
            return Storm.SUSPECTED if suspicious and acked.grown(SUSPECT_S)[0] == 0 else Storm.NONE
        if self._since is None:
            self._since = now
        return Storm.RAGING if now - self._since >= HOLD_S else Storm.SUSPECTED


def _storms(redelivered: Counter, acked: Counter, window_s: float) -> bool:
    """Prometheus, too, takes a rate over what it has of the window; but not over a moment."""
    if redelivered.grown(window_s)[1] < SUSPECT_S - 1:
        return False
    return redelivered.rate(window_s) > REDELIVERED_PER_S and acked.rate(window_s) < ACKED_PER_S
