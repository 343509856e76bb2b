"""The command `mediaflow`: run, up, down, status, scale, pause, resume, reload, replay, dead-letters, plan, logs."""

import json
import signal
import sys
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from local_fleet.control import ControlClient
from local_fleet.errors import FleetError, FleetNotUp
from local_fleet.launch import (
    check_before_start,
    console_trouble,
    launching,
    start_supervisor,
    wait_for_console,
    wait_until_left,
    wait_until_ready,
)
from local_fleet.log_reader import find_logs, print_logs
from local_fleet.member_state import State
from local_fleet.planner_run import run_planner
from local_fleet.replayer_run import run_replayer
from local_fleet.run_folder import RunFolder
from local_fleet.settings import FleetSettings, load_fleet_settings
from local_fleet.status_view import decided_by, print_status, read_depths, say_workers
from local_fleet.survivors import find_survivors
from local_fleet.teardown import take_down
from mq_common.channels import load_channels
from mq_common.errors import MediaflowError

app = typer.Typer(no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False, help=__doc__)
#: What processes say may hold brackets: nothing is taken for markup.
console = Console(highlight=False, markup=False, emoji=False)

#: Width of tables when they go into a file or a pipe.
_PIPE_WIDTH = 160

#: For commands whose further options are another program's.
_PASSED_ON = {"allow_extra_args": True, "ignore_unknown_options": True}

OneChannel = Annotated[str | None, typer.Argument(help="Without it, all channels.")]
Autoscale = Annotated[bool, typer.Option("--autoscale", help="Scale workers by queue length from now on.")]


@app.command()
def run(
    file: Annotated[Path | None, typer.Argument(help="A video; without it the bundled clip.", exists=True)] = None,
    autoscale: Autoscale = False,
) -> None:
    """Start the fleet if it is not up, send a clip through it and show what comes out. The fleet stays up."""
    from local_fleet.clip_run import bundled_clip, run_clip  # noqa: PLC0415 - progress bars cost 0.1 s to import

    settings, folder = _settings()
    _ensure_up(settings, folder, autoscale)
    status = ControlClient(folder.socket).ask("status")
    if paused := [name for name, each in status["channels"].items() if each["paused"]]:
        raise FleetError(f"paused: {', '.join(paused)}; mediaflow resume lets them go on")
    done = run_clip(file or bundled_clip(), status["ingest"], frozenset(status["channels"]), console)
    console.print("the fleet stays up:  make status · make logs · make down")
    if not done:
        raise FleetError("a channel gave up on the clip: its reason is above, its message in the dead-letter queue")


@app.command()
def up(autoscale: Autoscale = False) -> None:
    """Start the fleet and wait until all of it is ready."""
    settings, folder = _settings()
    if not _ensure_up(settings, folder, autoscale):
        console.print("the fleet is already up: make status shows it, make down ends it")


@app.command()
def down() -> None:
    """End the fleet in order, and whatever an earlier one left behind."""
    _, folder = _settings()
    ended = take_down(folder, _report)
    console.print("the fleet is down" if ended else "nothing was running")


@app.command()
def status(as_json: Annotated[bool, typer.Option("--json", help="For programs.")] = False) -> None:
    """Show processes, queues and addresses."""
    _, folder = _settings()
    try:
        state = ControlClient(folder.socket).ask("status")
    except FleetNotUp:
        left = ", ".join(f"{each.name} (pid {each.identity.pid})" for each in find_survivors(folder))
        console.print(f"the fleet is not up, but some of it is left: {left}; make down ends it" if left else "not up")
        return
    depths = read_depths(state)
    if as_json:
        queues = {} if isinstance(depths, str) else {name: _figures(depth) for name, depth in depths.items()}
        typer.echo(json.dumps(_public(state) | {"queues": queues}, indent=2))
        return
    wide = console if console.is_terminal else Console(width=_PIPE_WIDTH, highlight=False, markup=False, emoji=False)
    print_status(state, depths, wide)


@app.command()
def scale(channel: str, count: Annotated[int, typer.Argument(min=0)]) -> None:
    """Run COUNT workers of CHANNEL; surplus ones finish what they do. The autoscaler then leaves it alone."""
    _, folder = _settings()
    answer = _ask(folder, "scale", channel=channel, count=count)
    now = answer["channels"][channel]
    held = f"; the autoscaler leaves it alone until mediaflow resume {channel}" * now["held"]
    console.print(f"{channel}: {say_workers(count)}{' once it is resumed' * now['paused']}{held}", soft_wrap=True)


@app.command()
def pause(channel: OneChannel = None) -> None:
    """Take nothing more from the queues: workers finish what they hold and end; uploads go on, and wait."""
    _, folder = _settings()
    channels = _ask(folder, "pause", channel=channel)["channels"]
    wait_until_left(folder, channels)
    for name in channels:
        console.print(f"{name}: paused")


@app.command()
def resume(channel: OneChannel = None) -> None:
    """Go on with as many workers as before the pause; a channel that was scaled by hand goes back to the autoscaler."""
    _, folder = _settings()
    answer = _ask(folder, "resume", channel=channel)
    for name, each in answer["channels"].items():
        console.print(f"{name}: {say_workers(each['workers'])}{decided_by(each)}")


@app.command()
def reload() -> None:
    """Follow the channels file as it is now: start a new channel's workers, renew those of a changed one."""
    settings, folder = _settings()
    changes = _ask(folder, "reload")
    if begun := [*changes["added"], *changes["changed"]]:
        wait_until_ready(folder, settings.fleet_start_limit_s, _Announcer(), channels=begun)
    for what in ("added", "changed", "gone"):
        for name in changes[what]:
            console.print(f"{name}: {what}")
    if not any(changes[what] for what in ("added", "changed", "gone")):
        console.print("the channels file says what it said before")


@app.command(context_settings=_PASSED_ON)
def replay(context: typer.Context, channel: str) -> None:
    """Put CHANNEL's dead letters back into its queue; further options are the replayer's (--dry-run, --limit 5, …)."""
    _, folder = _settings()
    run_replayer(ControlClient(folder.socket).ask("status"), ["--channel", channel, *context.args])


@app.command("dead-letters", context_settings=_PASSED_ON)
def dead_letters(context: typer.Context) -> None:
    """Show what is in the dead-letter queues, and why; further options are the replayer's (--channel …, --json)."""
    _, folder = _settings()
    run_replayer(ControlClient(folder.socket).ask("status"), ["list", *context.args])


@app.command(context_settings=_PASSED_ON | {"help_option_names": []})
def plan(context: typer.Context) -> None:
    """Say how long a backlog takes, and what keeps the lag low; options are the planner's (--channel, --lag 60s, …)."""
    _, folder = _settings()
    try:
        status = ControlClient(folder.socket).ask("status")
    except FleetNotUp:
        status = None  # it answers from the numbers it is given, too
    run_planner(status, context.args)


@app.command()
def logs(
    name: Annotated[str | None, typer.Argument(help="A process or a channel; without it all.")] = None,
    follow: Annotated[bool, typer.Option("--follow", "-f", help="Go on with new lines.")] = False,
    lines: Annotated[int, typer.Option("--lines", "-n", min=0)] = 20,
) -> None:
    """Show what processes wrote."""
    _, folder = _settings()
    chosen = find_logs(folder, name)
    width = max(map(len, chosen), default=0)
    print_logs(chosen, lambda who, line: typer.echo(f"{who:<{width}}  {line}"), lines=lines, follow=follow)


def main() -> None:
    """Run the command line; errors that are for the user are one line on stderr."""
    signal.signal(signal.SIGINT, _interrupted)
    try:
        app()
    except (FleetError, MediaflowError) as error:
        sys.exit(_complain(str(error), 2 if isinstance(error, MediaflowError) else 1))
    except OSError as error:
        sys.exit(_complain(str(error), 1))


def _interrupted(*_: object) -> None:
    raise FleetError("interrupted; what runs goes on, make down ends it")


def _complain(message: str, code: int) -> int:
    sys.stderr.write(f"mediaflow: {message}\n")
    return code


def _settings() -> tuple[FleetSettings, RunFolder]:
    settings, *_ = load_fleet_settings()
    return settings, RunFolder.at(settings.fleet_folder)


def _ask(folder: RunFolder, do: str, **arguments: Any) -> dict[str, Any]:
    """Ask the supervisor for something it may refuse. Raises FleetError with its reason."""
    answer = ControlClient(folder.socket).ask(do, **arguments)
    if "error" in answer:
        raise FleetError(answer["error"])
    return answer


def _report(name: str, ending: str) -> None:
    console.print(f"  {name:<14} {ending}")


def _ensure_up(settings: FleetSettings, folder: RunFolder, autoscale: bool) -> bool:
    """Bring the fleet up; False when it already was."""
    with launching(folder):
        client = ControlClient(folder.socket)
        started = not client.is_up()
        if started:
            _, ingest, endpoint, _, channels, _ = load_fleet_settings()
            specs = load_channels(channels.channels, channels.profile)
            check_before_start(settings, ingest, specs, folder)
            taken = console_trouble(settings, endpoint)
            start_supervisor(folder, _report)
            ready = wait_until_ready(folder, settings.fleet_start_limit_s, _Announcer())
            console.print(f"the fleet is up: {ready['ingest']}  (broker: {ready['broker']['kind']})")
            if ready["console"]:
                trouble = taken or wait_for_console(folder)
                console.print(f"the console is {f'not up: {trouble}' if trouble else 'up: ' + ready['console']}")
        if autoscale:
            _ask(folder, "autoscale", cooldown_s=settings.fleet_cooldown_s)
    return started


class _Announcer:
    """Prints each process once, when it is ready, and each new trouble."""

    def __init__(self) -> None:
        self._said: set[tuple[str, str]] = set()

    def __call__(self, status: dict[str, Any]) -> None:
        for each in status["processes"]:
            ready = each["state"] == State.READY
            what = f"ready after {each['uptime']:.1f} s" if ready and each["uptime"] else each["reason"]
            key = (each["name"], "ready" if ready else each["reason"])
            if what and key not in self._said:
                self._said.add(key)
                console.print(f"  {each['name']:<14} {what}", soft_wrap=True)


def _figures(depth: Any) -> dict[str, int]:
    return {"ready": depth.ready, "unacked": depth.unacked, "total": depth.total, "consumers": depth.consumers}


def _public(status: dict[str, Any]) -> dict[str, Any]:
    """Leave out the addresses that carry the broker's password."""
    return status | {"broker": {key: status["broker"][key] for key in ("kind", "address")}}
