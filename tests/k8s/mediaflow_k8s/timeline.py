"""How many workers there were over time, and whether that is how KEDA has to scale them. Pure."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Moment:
    """One look. ``at_s``: seconds since the beginning; ``messages``: in the queue, in whatever state."""

    at_s: float
    wanted: int
    running: int
    ready: int
    messages: int | None = None


def moment_of(line: str, at_s: float, messages: int | None = None) -> Moment | None:
    """Read "wanted running ready", as a watch on a Deployment prints it; what is 0 is left out there. None: no line."""
    fields = line.rstrip("\n").split(",")
    if len(fields) != 3:
        return None
    wanted, running, ready = (int(field) if field.strip() else 0 for field in fields)
    return Moment(at_s, wanted, running, ready, messages)


def faults_of_burst(moments: Sequence[Moment], fewest: int, most: int) -> list[str]:
    """Say what is wrong with fewest → most → fewest; nothing when it is as it has to be.

    Wanted workers may not turn round but at the top, never leave the bounds, and all of the most have to have worked.
    """
    if not moments:
        return ["nothing was seen"]
    wanted = [moment.wanted for moment in moments]
    faults = []
    if wanted[0] != fewest:
        faults.append(f"it began with {wanted[0]} workers, not with {fewest}")
    if min(wanted) < fewest or max(wanted) > most:
        faults.append(f"between {min(wanted)} and {max(wanted)} workers were wanted, outside {fewest} to {most}")
    if max(wanted) < most:
        faults.append(f"no more than {max(wanted)} workers were wanted, {most} were expected (BURST= for more)")
    elif max(moment.ready for moment in moments) < most:
        ready = max(moment.ready for moment in moments)
        faults.append(
            f"of {most} workers that were wanted only {ready} became ready before the burst was over (BURST=)"
        )
    faults += _turns(moments, max(wanted))
    last = moments[-1]
    if (last.wanted, last.running) != (fewest, fewest):
        faults.append(f"at the end {last.wanted} workers were wanted and {last.running} there, not {fewest}")
    return faults


def _turns(moments: Sequence[Moment], top: int) -> list[str]:
    faults, falling, before = [], False, moments[0]
    for moment in moments[1:]:
        if moment.wanted < before.wanted:
            if before.wanted < top and not falling:
                faults.append(
                    f"after {moment.at_s:.0f} s it fell from {before.wanted} to {moment.wanted} on its way up"
                )
            falling = falling or before.wanted == top
        elif moment.wanted > before.wanted and falling:
            faults.append(f"after {moment.at_s:.0f} s it rose from {before.wanted} to {moment.wanted} on its way down")
        before = moment
    return faults


def steps(moments: Iterable[Moment]) -> list[Moment]:
    """Give the moments at which the wanted number changed, the first one too."""
    found: list[Moment] = []
    for moment in moments:
        if not found or found[-1].wanted != moment.wanted:
            found.append(moment)
    return found


def thinned(moments: Sequence[Moment], every_s: float) -> list[Moment]:
    """Give what a table shows: each change of a number of workers, else one moment in so many seconds, and the last."""
    shown: list[Moment] = []
    for moment in moments:
        before = shown[-1] if shown else None
        if (
            before is None
            or (moment.wanted, moment.ready) != (before.wanted, before.ready)
            or moment.at_s - before.at_s >= every_s
        ):
            shown.append(moment)
    if moments and shown[-1] != moments[-1]:
        shown.append(moments[-1])
    return shown
