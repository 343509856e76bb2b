"""Brings a fleet up: checks what can be checked first, starts the supervisor, waits until all is ready."""

import fcntl
import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from typing import Any

import psutil

from local_fleet.addresses import listeners_of
from local_fleet.broker_choice import choose_broker
from local_fleet.control import ControlClient
from local_fleet.errors import FleetError, FleetNotUp
from local_fleet.exits import last_line
from local_fleet.fleet_plan import CONSOLE
from local_fleet.member_state import State
from local_fleet.ports import is_free
from local_fleet.run_folder import RunFolder
from local_fleet.settings import ConsoleEndpoint, FleetSettings, IngestEndpoint
from local_fleet.teardown import Report, take_down
from mq_common.channels import ChannelSpec

_POLL_S = 0.1

#: A process that died this often while the fleet came up will not come up by itself.
_HOPELESS_RESTARTS = 3

#: How long the user's own broker may take to open its port, in seconds.
_BROKER_PATIENCE_S = 5.0

#: How long the console may take to answer once all the others are ready, in seconds.
_CONSOLE_PATIENCE_S = 20.0

Status = dict[str, Any]


@contextmanager
def launching(folder: RunFolder) -> Iterator[None]:
    """Let one `up` at a time work on a folder; another waits for it."""
    folder.prepare()
    with (folder.path / "up.lock").open("ab") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def check_before_start(
    settings: FleetSettings, ingest: IngestEndpoint, channels: dict[str, ChannelSpec], folder: RunFolder
) -> None:
    """Raise FleetError for what would keep the fleet from starting."""
    for name in settings.workers:
        if name not in channels:
            raise FleetError(f"MEDIAFLOW_FLEET_WORKERS: no channel {name!r}; there are: {', '.join(channels)}")
    if not is_free(ingest.ingest_port, ingest.ingest_host):
        raise FleetError(
            f"port {ingest.ingest_port} is taken{_by_whom(ingest.ingest_port)}: free it, or set MEDIAFLOW_INGEST_PORT"
        )
    choice = choose_broker(settings, folder)
    if choice.amqp_url:
        _reach(choice.amqp_url)


def console_trouble(settings: FleetSettings, console: ConsoleEndpoint) -> str:
    """Say what will keep the console from starting; empty for nothing. The fleet does without it."""
    port = console.console_port
    if settings.fleet_console == "off" or is_free(port, console.console_host):
        return ""
    return f"port {port} is taken{_by_whom(port)}: free it, or set MEDIAFLOW_CONSOLE_PORT"


def wait_for_console(folder: RunFolder) -> str:
    """Wait until the console answers; gives why it does not, or an empty text. Raises FleetNotUp."""
    client = ControlClient(folder.socket)
    deadline = time.monotonic() + _CONSOLE_PATIENCE_S
    while True:
        console = next((each for each in client.ask("status")["processes"] if each["name"] == CONSOLE), None)
        if console is None or console["state"] == State.READY:
            return ""
        if console["state"] == State.FAILED or console["restarts"] or time.monotonic() > deadline:
            return str(console["reason"] or f"no answer for {_CONSOLE_PATIENCE_S:.0f} s; see {folder.log_of(CONSOLE)}")
        time.sleep(_POLL_S)


def _reach(amqp_url: str) -> None:
    """Raise FleetError when nothing listens at any address of the user's own broker."""
    listeners = listeners_of(amqp_url)
    deadline = time.monotonic() + _BROKER_PATIENCE_S
    while True:
        for listener in listeners:
            try:
                socket.create_connection(listener, timeout=_BROKER_PATIENCE_S).close()
            except OSError as error:
                reason = error.strerror or str(error)
            else:
                return
        if time.monotonic() > deadline:
            places = ", ".join(f"{host}:{port}" for host, port in listeners)
            raise FleetError(f"no broker answers at {places} (AMQP_URL): {reason}")
        time.sleep(_POLL_S)


def start_supervisor(folder: RunFolder, report: Report) -> None:
    """Start the supervisor and return once it answers; what an earlier fleet left is ended first.

    Raises FleetError with the supervisor's last words when it ends instead.
    """
    take_down(folder, report)
    log = folder.log_of("supervisor")
    with log.open("ab") as output:
        beginning = output.tell()
        supervisor = subprocess.Popen(
            [sys.executable, "-m", "local_fleet.daemon"],
            env=os.environ | folder.marks("supervisor"),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            start_new_session=True,
        )
    client = ControlClient(folder.socket)
    while not client.is_up():
        if supervisor.poll() is not None:
            said = last_line(log, beginning).removeprefix("mediaflow: ")
            raise FleetError(said or f"the supervisor ended at once; see {log}")
        time.sleep(_POLL_S / 2)


def wait_until_ready(
    folder: RunFolder,
    limit_s: float,
    on_status: Callable[[Status], None],
    *,
    channels: Collection[str] | None = None,
) -> Status:
    """Wait until every process (of `channels`, when given) is ready; `on_status` sees each look at the fleet.

    Raises FleetError that names a process which can't come up, or what was still missing after `limit_s` seconds.
    """
    client = ControlClient(folder.socket)
    deadline = time.monotonic() + limit_s
    while True:
        try:
            status = client.ask("status")
        except FleetNotUp:
            raise FleetError(f"the fleet went down while it was starting; see {folder.logs}") from None
        if channels is not None:
            status["processes"] = [each for each in status["processes"] if _channel_of(each["name"]) in channels]
        on_status(status)
        # Workers that were renewed finish what they hold meanwhile.
        waiting = [each for each in status["processes"] if each["state"] not in (State.READY, State.STOPPING)]
        waiting = [each for each in waiting if each["name"] != CONSOLE]  # the fleet does without it
        if not waiting:
            return status
        for each in waiting:
            if each["state"] == State.FAILED or each["restarts"] >= _HOPELESS_RESTARTS:
                raise FleetError(f"{each['name']} does not come up: {each['reason']}")
        if time.monotonic() > deadline:
            names = ", ".join(each["name"] for each in waiting)
            raise FleetError(f"not ready after {limit_s:.0f} s: {names}; see {folder.logs}")
        time.sleep(_POLL_S)


def wait_until_left(folder: RunFolder, channels: Collection[str]) -> None:
    """Wait until no worker of the paused `channels` runs any more, or until somebody resumes them."""
    client = ControlClient(folder.socket)
    while True:
        status = client.ask("status")
        paused = {name for name in channels if status["channels"].get(name, {}).get("paused")}
        if not any(_channel_of(each["name"]) in paused for each in status["processes"]):
            return
        time.sleep(_POLL_S)


def _channel_of(process: str) -> str:
    return process.rpartition("-")[0]


def _by_whom(port: int) -> str:
    """Name the process that listens on `port`, where this user may know."""
    try:
        listening = (each for each in psutil.net_connections("tcp") if each.status == psutil.CONN_LISTEN)
        pid = next(each.pid for each in listening if each.laddr and each.laddr.port == port and each.pid)
        return f" by {psutil.Process(pid).name()} (pid {pid})"
    except (psutil.Error, StopIteration, OSError):
        return ""
