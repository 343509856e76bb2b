"""The supervisor's process: `python -m local_fleet.daemon`, started by `mediaflow up`."""

import asyncio
import fcntl
import os
import signal
import sys
from functools import partial
from typing import IO

import structlog

from local_fleet.broker_choice import BrokerChoice, choose_broker
from local_fleet.control_server import ControlServer
from local_fleet.errors import FleetError
from local_fleet.fleet_plan import FleetPlan, plan_fleet
from local_fleet.identity import ProcessIdentity
from local_fleet.run_folder import RunFolder
from local_fleet.settings import load_fleet_settings
from local_fleet.supervisor import ChannelsReader, Supervisor
from mq_common.channels import load_channels
from mq_common.errors import MediaflowError
from mq_common.logs import configure_logging

_log = structlog.get_logger()

NAME = "supervisor"


def main() -> int:
    """Run the fleet until asked to stop; the exit code is 0 then, 1 when it could not begin."""
    try:
        fleet, ingest, console, _, channels, logs = load_fleet_settings()
        configure_logging(NAME, logs)
        folder = RunFolder.at(fleet.fleet_folder)
        folder.prepare()
        with _sole_supervisor(folder):
            read_channels = partial(load_channels, channels.channels, channels.profile)
            specs = read_channels()
            choice = choose_broker(fleet, folder)
            broker = _addresses(choice)
            plan = plan_fleet(
                fleet,
                ingest,
                channels=specs,
                folder=folder,
                inherited=os.environ,
                broker=broker,
                console=console,
            )
            asyncio.run(_run(plan, choice, folder, read_channels))
    except (FleetError, MediaflowError) as error:
        sys.stderr.write(f"mediaflow: {error}\n")
        return 1
    return 0


def _sole_supervisor(folder: RunFolder) -> IO[bytes]:
    """Take the lock that a supervisor holds as long as it lives. Raises FleetError when another has it."""
    lock = (folder.path / "fleet.lock").open("ab")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        lock.close()
        raise FleetError(f"another supervisor runs in {folder.path}") from None
    return lock


def _addresses(choice: BrokerChoice) -> dict[str, str]:
    """Start the broker when it is ours; give the variables by which all processes find it."""
    amqp_url, management_url = choice.amqp_url, choice.management_url
    if choice.node:
        address = choice.node.start(wait=False)
        amqp_url, management_url = address.amqp_url, address.management_url
    known = {"AMQP_URL": amqp_url, "MEDIAFLOW_MANAGEMENT_URL": management_url}
    return {name: value for name, value in known.items() if value}


async def _run(plan: FleetPlan, choice: BrokerChoice, folder: RunFolder, read_channels: ChannelsReader) -> None:
    supervisor = Supervisor(plan, choice, folder, read_channels)
    control = ControlServer(supervisor, folder.socket)
    loop = asyncio.get_running_loop()
    stops: set[asyncio.Task[None]] = set()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, lambda: stops.add(loop.create_task(control.stop())))
    supervisor.start()
    identity = ProcessIdentity.of(os.getpid())
    if identity:
        folder.remember(NAME, identity)
    server = await control.serve()
    _log.info("fleet_started", broker=choice.kind, ingest=plan.ingest.url)
    await control.stopped.wait()
    server.close()
    await asyncio.gather(*stops)
    folder.socket.unlink(missing_ok=True)
    folder.forget(NAME)


if __name__ == "__main__":
    sys.exit(main())
