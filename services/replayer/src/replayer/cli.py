"""Moves dead letters back to their one queue (`replayer --channel …`), and shows what is in one (`replayer list`)."""

import json
import signal
import sys
import time
from collections.abc import Callable, Iterable
from enum import StrEnum
from typing import Annotated, Any

import typer

from media_common.settings import StoreSettings
from mq_common.channels import ChannelSpec, channel_of, load_channels
from mq_common.dead_letter_groups import Groups
from mq_common.dead_letter_survey import survey
from mq_common.dead_letter_walk import Busy
from mq_common.dead_letters import DELIVERY_LIMIT, REJECTED, UNKNOWN
from mq_common.errors import BrokerUnreachable
from mq_common.logs import configure_logging
from mq_common.process import EXIT_STOPPED, exit_code_of
from mq_common.quantities import parse_duration
from mq_common.replay import Replay
from mq_common.replay_rules import DEFAULT_MAX_REPLAYS, ReplayPlan, Selection
from mq_common.settings import BrokerSettings, ChannelsSettings, LogSettings, load_settings
from replayer.listing import groups_as_json, print_groups
from replayer.progress import Progress
from replayer.progress_lines import ProgressLines
from replayer.quantities import parse_rate
from replayer.store_records import StoreRecords
from replayer.summary import print_summary, summary_as_json

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None, help=__doc__)

#: Something that should have moved could not, or somebody else was at the queue.
EXIT_INCOMPLETE = 1


class Reason(StrEnum):
    """The broker's words for the two ways into a dead-letter queue, and ours for a message without death headers."""

    REJECTED = REJECTED
    DELIVERY_LIMIT = DELIVERY_LIMIT
    UNKNOWN = UNKNOWN


class ProgressForm(StrEnum):
    """Forms of progress for programs."""

    JSON = "json"


def _readable(read: Callable[[str], float]) -> Callable[[str], float]:
    """Make typer's complaint of a parser's."""

    def parse(text: str) -> float:
        try:
            return read(text)
        except ValueError as error:
            raise typer.BadParameter(str(error)) from None

    return parse


OlderThan = Annotated[
    float | None, typer.Option(parser=_readable(parse_duration), metavar="1h", help="Dead for so long at least.")
]
Rate = Annotated[
    float | None, typer.Option(parser=_readable(parse_rate), metavar="50/s", help="Messages per second at most.")
]
Json = Annotated[bool, typer.Option("--json", help="The result as JSON on standard output, and nothing else.")]


@app.callback(invoke_without_command=True)
def replay(  # noqa: PLR0917 - typer wants options by position
    context: typer.Context,
    channel: Annotated[str | None, typer.Option(help="Whose dead letters.")] = None,
    limit: Annotated[int | None, typer.Option(min=1, help="Messages at most.")] = None,
    reason: Annotated[Reason | None, typer.Option(help="Only those that died so.")] = None,
    error: Annotated[
        str | None, typer.Option(metavar="CLASS", help="Only those a worker gave up on so; - for no known error.")
    ] = None,
    asset: Annotated[str | None, typer.Option(metavar="ID", help="Only this asset's.")] = None,
    event: Annotated[list[str] | None, typer.Option(metavar="ID", help="Only this message; may be repeated.")] = None,
    older_than: OlderThan = None,
    max_replays: Annotated[int, typer.Option(min=0, help="Leave those replayed so often.")] = DEFAULT_MAX_REPLAYS,
    rate: Rate = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would move.")] = False,
    as_json: Json = False,
    progress: Annotated[
        ProgressForm | None, typer.Option(help="JSON lines on standard output; the last one has the result.")
    ] = None,
) -> None:
    """Move a channel's dead letters back to its queue; `list` shows what is there.

    Exit codes: 0 done, also when nothing matched or on SIGTERM; 1 some could not be moved; 2 bad configuration;
    3 broker not reachable or lost; 4 topology mismatch.
    """
    if context.invoked_subcommand is not None:
        return
    if channel is None:
        raise typer.BadParameter("say whose dead letters: --channel NAME (or look first: list)")
    broker, channels, store = _settings()
    events = frozenset(event) if event else None
    selection = Selection(reason.value if reason else None, error, asset, older_than, max_replays, events)
    plan = ReplayPlan(selection, limit, rate, dry_run)
    spec = channel_of(channels, channel)
    records = StoreRecords(store, channel)
    if progress is not None:
        raise typer.Exit(_replay_for_programs(broker, spec, plan, records))
    raise typer.Exit(_replay(broker, spec, plan, records, as_json=as_json))


@app.command("list")
def list_(channel: Annotated[str | None, typer.Option(help="Only this one.")] = None, as_json: Json = False) -> None:
    """Show what is in the dead-letter queues by channel, reason and error. Costs the messages nothing."""
    broker, channels, store = _settings()
    specs = channels.values() if channel is None else [channel_of(channels, channel)]
    raise typer.Exit(_list(broker, specs, store, as_json=as_json))


def main() -> int:
    """Run the command line; gives the exit code."""
    return exit_code_of(_run)


def _run() -> int:
    try:
        app(prog_name="replayer")
    except Busy as error:
        sys.stderr.write(f"replayer: {error}\n")
        return EXIT_INCOMPLETE
    except SystemExit as end:  # how typer gives an exit code; 2 for a wrong option, as for a wrong setting
        return end.code if isinstance(end.code, int) else EXIT_STOPPED
    return EXIT_STOPPED


def _settings() -> tuple[BrokerSettings, dict[str, ChannelSpec], StoreSettings]:
    broker, chosen, logs, store = load_settings(
        BrokerSettings, ChannelsSettings, LogSettings, StoreSettings, owner="REPLAYER_"
    )
    if "log_level" not in logs.model_fields_set:  # on a terminal the progress says what goes on
        logs = logs.model_copy(update={"log_level": "warning"})
    configure_logging("replayer", logs)
    return broker, load_channels(chosen.channels, chosen.profile), store


def _replay(
    broker: BrokerSettings, spec: ChannelSpec, plan: ReplayPlan, records: StoreRecords, *, as_json: bool
) -> int:
    with Progress(spec.name, quiet=as_json) as progress:
        run = Replay(broker, spec, plan, records=records, on_progress=progress.show)
        stopped = _stop_on_signals(run.stop)
        lost = _run_to_the_end(run, stopped)
    tally = run.tally
    if as_json:
        _print_json(summary_as_json(spec, plan, tally, seconds=progress.seconds, stopped=stopped()))
    elif lost is None or tally.depth:  # a queue that was never seen is not an empty one
        print_summary(spec, plan, tally, seconds=progress.seconds, stopped=stopped())
    if lost is not None:
        raise lost
    return EXIT_INCOMPLETE if tally.failed or tally.trouble else EXIT_STOPPED


def _replay_for_programs(broker: BrokerSettings, spec: ChannelSpec, plan: ReplayPlan, records: StoreRecords) -> int:
    began = time.monotonic()
    lines = ProgressLines()
    run = Replay(broker, spec, plan, records=records, on_progress=lines.show)
    stopped = _stop_on_signals(run.stop, lines.stop)
    lines.waiting(run.tally)
    lost = _run_to_the_end(run, stopped)
    tally, seconds = run.tally, time.monotonic() - began
    trouble = str(lost) if lost else tally.trouble
    if trouble is None and tally.failed:
        trouble = f"{tally.failed} could not be moved and stay where they are"
    lines.ended(tally, summary_as_json(spec, plan, tally, seconds=seconds, stopped=stopped()), trouble=trouble)
    if lost is not None:
        raise lost
    return EXIT_INCOMPLETE if trouble else EXIT_STOPPED


def _run_to_the_end(run: Replay, stopped: Callable[[], bool]) -> BrokerUnreachable | None:
    """Run; gives what ended it early. Raises Busy, unless it was asked to stop while it waited.

    A stop while it still looked for the broker is a stop, and says nothing about the broker.
    """
    try:
        run.run()
    except BrokerUnreachable as error:
        return None if stopped() and not run.tally.depth else error
    except Busy:
        if not stopped():
            raise
    finally:
        # Python gives up its handlers on the way out: a signal that comes late would kill what has ended well.
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, signal.SIG_IGN)
    return None


def _list(broker: BrokerSettings, specs: Iterable[ChannelSpec], store: StoreSettings, *, as_json: bool) -> int:
    groups = Groups()
    code = EXIT_STOPPED
    stopped = _stop_on_signals()
    for spec in specs:
        if stopped():
            break
        try:
            for letter in survey(broker, spec, records=StoreRecords(store, spec.name), stop=stopped):
                groups.add(spec.name, letter)
        except Busy as error:
            sys.stderr.write(f"replayer: {error}\n")
            code = EXIT_INCOMPLETE
        except BrokerUnreachable:
            if not stopped():
                raise
    if stopped():
        sys.stderr.write("replayer: stopped before all queues were looked at\n")
    if as_json:
        _print_json(groups_as_json(groups))
    elif not stopped() or any(groups):
        print_groups(groups)
    return code


def _stop_on_signals(*stops: Callable[[], None]) -> Callable[[], bool]:
    """Call ``stops`` on SIGTERM and SIGINT; what is given tells whether one came."""
    came: list[int] = []

    def on_signal(number: int, _: object) -> None:
        came.append(number)
        for stop in stops:
            stop()

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, on_signal)
    return lambda: bool(came)


def _print_json(value: Any) -> None:
    sys.stdout.write(json.dumps(value, indent=2) + "\n")
