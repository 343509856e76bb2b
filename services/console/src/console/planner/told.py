"""A plan in words and tables, for a terminal."""

from collections.abc import Callable

from rich.console import Console
from rich.table import Table

from console.planner.choices import Choice, Choices
from console.planner.figures import Figure
from console.planner.forecast import Forecast, Spread
from console.planner.plan import Basis, Plan
from console.planner.quantities import say_duration, say_rate

_REMARKS = {
    "since_start": "Few jobs ended lately: their times are from the workers' whole lives.",
    "no_jobs_seen": "No job was seen: their time is the channels file's. --job 2s says another.",
    "no_arrivals_seen": "Nobody saw how much arrives: it is taken for none. --arrival 3/s says how much.",
    "no_fleet": "No fleet was asked: these are the numbers given, and the channels file's.",
}


def tell(plan: Plan, console: Console) -> None:
    """Print what was assumed, what will happen and what would be better."""
    console.print(f"{plan.basis.channel}", style="bold")
    console.print(_basis(plan.basis))
    for remark in plan.basis.remarks:
        console.print(_REMARKS[remark])
    console.print()
    for sentence in sentences(plan):
        console.print(sentence)
    if plan.choices is not None:
        console.print()
        _choices(plan.choices, console)


def sentences(plan: Plan) -> list[str]:
    """Say what will happen, one matter a sentence."""
    basis, ahead = plan.basis, plan.forecast
    said = []
    if ahead.growth > 0:
        said.append(
            f"All workers together finish {say_rate(basis.capacity)}, {say_rate(basis.arrival.value)} arrive: the queue"
            f" grows by {say_rate(ahead.growth)} for ever."
        )
    elif basis.backlog or basis.burst:
        said.append(_drain(basis, ahead))
    said.append(
        f"The oldest waiting message gets {_spread(ahead.peak_lag_s, say_duration)} old, the queue"
        f" {_spread(ahead.peak_depth, _count)} deep, with up to {_count(ahead.most_workers.high)} workers."
    )
    if ahead.dead.high:
        said.append(f"{_spread(ahead.dead, _count)} messages end in the dead-letter queue.")
    said.append(f"The next {say_duration(ahead.horizon_s)} cost {_spread(ahead.worker_hours, _hours)} worker-hours.")
    return said


def _drain(basis: Basis, ahead: Forecast) -> str:
    what = f"The backlog of {basis.backlog:,}" if basis.backlog else "The burst"
    if basis.burst:
        over = f" over {say_duration(basis.burst_over_s)}" if basis.burst_over_s else " at once"
        what = f"{what} and {basis.burst:,} more{over}" if basis.backlog else f"A burst of {basis.burst:,}{over}"
    if ahead.drained_s is None:
        return f"{what} is not gone within {say_duration(ahead.horizon_s)}."
    return f"{what} is gone in {_spread(ahead.drained_s, say_duration)}."


def _basis(basis: Basis) -> Table:
    table = Table(box=None, pad_edge=False, show_header=False)
    rule = basis.rule
    table.add_row("arrives", say_rate(basis.arrival.value), _provenance(basis.arrival))
    table.add_row("a job takes", say_duration(basis.job.value), _provenance(basis.job))
    table.add_row("fails for good", f"{basis.failing.value:.1%}", _provenance(basis.failing))
    table.add_row("between two jobs", f"{basis.overhead.value * 1000:.0f} ms", _provenance(basis.overhead))
    table.add_row("a worker starts in", say_duration(basis.start.value), _provenance(basis.start))
    scaled = (
        f"{rule.fewest}–{rule.most}, one for each {rule.target} messages" if rule.follows else "as many as there are"
    )
    table.add_row("workers", f"{basis.workers} now", f"{scaled}; {basis.concurrency} jobs at a time in each")
    return table


def _provenance(figure: Figure) -> str:
    if figure.source != "measured":
        return {"given": "as you say", "configured": "from the channels file", "assumed": "a guess"}[figure.source]
    over = f" in {say_duration(figure.over_s)}" if figure.over_s else ""
    return f"measured {figure.samples:,} times{over}" + ("" if figure.is_sure else ": few")


def _choices(choices: Choices, console: Console) -> None:
    limit = say_duration(choices.lag_s)
    best = choices.best
    if best is None:
        console.print(f"Nothing up to {choices.limit} workers keeps the lag under {limit}.", style="bold")
    elif best == choices.as_is:
        console.print(f"As it is it keeps the lag under {limit}, and nothing else is notably cheaper.", style="bold")
    else:
        console.print(f"To keep the lag under {limit}: {_setting(best)}.", style="bold")
    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in ("", "messages a worker", "at most", "oldest message", "worker-hours", "workers on average"):
        table.add_column(column, justify="left" if not column else "right")
    for choice in [choices.as_is, *(each for each in choices.front if each != choices.as_is)]:
        mark = "→" if choice == best else ""
        table.add_row(*_row(choice, choices, f"{mark}now" if choice == choices.as_is else mark))
    console.print(table)
    console.print(f"Over {say_duration(choices.horizon_s)}, {choices.tried} simulations; in brackets all runs.")
    if not choices.complete:
        console.print("Time ran out before everything was tried: there may be better ones.")


def _row(choice: Choice, choices: Choices, mark: str) -> tuple[str, ...]:
    return (
        mark,
        str(choice.target) if choice.target else "always there",
        str(choice.most),
        ("≥ " if choice.grows else "") + _spread(choice.peak_lag_s, say_duration) + ("" if choice.keeps else " ✗"),
        _hours(choice.worker_hours.median),
        f"{choice.worker_hours.median * 3600 / choices.horizon_s:.1f}",
    )


def _setting(choice: Choice) -> str:
    if choice.target is None:
        return f"{choice.most} workers that always run"
    return f"one worker for each {choice.target} messages, at most {choice.most} workers"


def _spread(spread: Spread, say: Callable[[float], str]) -> str:
    low, middle, high = say(spread.low), say(spread.median), say(spread.high)
    return middle if low == high else f"{middle} ({low} – {high})"


def _count(value: float) -> str:
    return f"{value:,.0f}"


def _hours(value: float) -> str:
    return f"{value:.3g}"
