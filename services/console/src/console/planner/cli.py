"""Answers what will happen to a channel's queue, and which scaling keeps its lag under a limit."""

import sys
from collections.abc import Callable
from typing import Annotated, Any

import orjson
import typer
from pydantic import ValidationError
from rich.console import Console

from console.planner.fleet_figures import figures_of_channel
from console.planner.measured import Measured
from console.planner.plan import plan
from console.planner.quantities import parse_share
from console.planner.question import Question
from console.planner.told import tell
from console.planner.wire import plan_json
from mq_common.logs import configure_logging
from mq_common.process import EXIT_STOPPED, exit_code_of
from mq_common.quantities import parse_duration, parse_rate
from mq_common.settings import LogSettings

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None, help=__doc__)

#: Width of tables when they go into a file or a pipe.
_PIPE_WIDTH = 120
#: Seconds of real time for the search.
_BUDGET_S = 10.0


def _readable(read: Callable[[str], float]) -> Callable[[str | float], float]:
    """Make typer's complaint of a parser's. Defaults are numbers already."""

    def parse(text: str | float) -> float:
        try:
            return read(text) if isinstance(text, str) else text
        except ValueError as error:
            raise typer.BadParameter(str(error)) from None

    return parse


def _quantity(read: Callable[[str], float], metavar: str, text: str) -> Any:
    return typer.Option(parser=_readable(read), metavar=metavar, help=text)


@app.command()
def ask(  # noqa: PLR0917 - typer wants options by position
    channel: Annotated[str, typer.Option(help="Which channel.")],
    arrival: Annotated[float | None, _quantity(parse_rate, "3/s", "What will arrive. Without it: as of late.")] = None,
    times: Annotated[float, typer.Option(min=0, help="So many times as much: 2 for twice the uploads.")] = 1.0,
    lag: Annotated[float, _quantity(parse_duration, "60s", "The oldest message is not to get older.")] = 60.0,
    backlog: Annotated[int | None, typer.Option(min=0, help="Messages that wait. Without it: those that do.")] = None,
    burst: Annotated[int, typer.Option(min=0, help="So many messages more.")] = 0,
    over: Annotated[float, _quantity(parse_duration, "10s", "The burst comes within this time.")] = 0.0,
    target: Annotated[int | None, typer.Option(min=1, help="Messages for each worker; no other is tried.")] = None,
    most: Annotated[int | None, typer.Option("--max", min=1, help="Most workers; no more are tried.")] = None,
    fewest: Annotated[int | None, typer.Option("--min", min=0, help="Fewest workers.")] = None,
    workers: Annotated[int | None, typer.Option(min=0, help="Workers that run at the beginning.")] = None,
    scaled: Annotated[
        bool | None,
        typer.Option("--scaled/--fixed", help="Whether their number follows the queue. Without it: as now."),
    ] = None,
    job: Annotated[float | None, _quantity(parse_duration, "2s", "Mean time of a job.")] = None,
    start: Annotated[float | None, _quantity(parse_duration, "2s", "Until a new worker takes messages.")] = None,
    failing: Annotated[float | None, _quantity(parse_share, "10%", "Messages that fail for good.")] = None,
    seeds: Annotated[int, typer.Option(min=1, max=50, help="Simulations of the same situation.")] = 5,
    search: Annotated[bool, typer.Option("--search/--no-search", help="Look for better settings too.")] = True,
    as_json: Annotated[bool, typer.Option("--json", help="For programs.")] = False,
    console: Annotated[str | None, typer.Option(metavar="URL", help="The console to ask for figures.")] = None,
) -> None:
    """Answer what will happen to a channel's queue, and which scaling keeps its lag under a limit."""
    measured = figures_of_channel(channel, console)
    without_fleet = "no_fleet" in measured.remarks
    question = _question(
        arrival_per_s=arrival,
        arrival_times=times,
        lag_s=lag,
        backlog=backlog,
        burst=burst,
        burst_over_s=over,
        target=target,
        most=most,
        fewest=fewest,
        workers=workers,
        follows=True if scaled is None and without_fleet else scaled,
        job_s=job,
        start_s=start,
        failing=failing,
        seeds=seeds,
        recommend=search,
    )
    _answer(measured, question, as_json)


def _question(**values: Any) -> Question:
    try:
        return Question(**values)
    except ValidationError as error:
        first = error.errors()[0]
        raise typer.BadParameter(f"{'.'.join(map(str, first['loc']))}: {first['msg']}") from None


def _answer(measured: Measured, question: Question, as_json: bool) -> None:
    answer = plan(measured, question, budget_s=_BUDGET_S)
    if as_json:
        sys.stdout.buffer.write(orjson.dumps(plan_json(answer), option=orjson.OPT_INDENT_2) + b"\n")
        return
    page = Console(highlight=False, markup=False, emoji=False)
    tell(answer, page if page.is_terminal else Console(width=_PIPE_WIDTH, highlight=False, markup=False, emoji=False))


def main() -> int:
    """Run the command line; gives the exit code. Errors that are for the user are one line on stderr."""
    return exit_code_of(_run)


def _run() -> int:
    configure_logging("planner", LogSettings(log_level="error"))  # what is missing is said in the answer
    app(prog_name="mediaflow plan")
    return EXIT_STOPPED
