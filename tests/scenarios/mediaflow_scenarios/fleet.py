"""The fleet the scenarios run against: its own folder, ports and channels file, driven by the command line."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from importlib import resources
from pathlib import Path
from typing import Any

from local_fleet.broker import BrokerAddress
from local_fleet.control import ControlClient
from local_fleet.ports import free_ports
from local_fleet.run_folder import RunFolder
from local_fleet.survivors import find_survivors
from mediaflow_scenarios.door import Door
from mediaflow_scenarios.patience import TookTooLong, until
from mediaflow_scenarios.queues import Queues
from mediaflow_scenarios.results import Results
from mq_common.channels import ChannelSpec, load_channels

#: Where the package of the fourth channel is.
_HERE = Path(__file__).parents[1]

#: A cold start on a busy two-core machine.
_COMMAND_LIMIT_S = 240.0

#: The longest that jobs which have begun may take to end, in seconds: two of transcode's, and the broker's figures.
_IDLE_LIMIT_S = 60.0


class CommandFailed(Exception):
    """A command of `mediaflow` ended with an error; the message is what it said."""


@dataclass
class ScenarioFleet:
    """A fleet in the simulated profile. Without `broker` it has a private node of its own.

    changes: what is different in its channels file from the packaged one, as (text, text instead).
    """

    folder: RunFolder
    broker: BrokerAddress | None = None
    cooldown_s: float = 20.0
    changes: tuple[tuple[str, str], ...] = ()
    port: int = field(default_factory=lambda: free_ports(1)[0])

    def up(self) -> None:
        """Start it with nothing in it, and let the number of workers follow the queues."""
        self.down()
        shutil.rmtree(self.folder.path, ignore_errors=True)
        self.folder.path.mkdir(parents=True)
        self.write_channels()
        self.mediaflow("up", "--autoscale")

    def down(self) -> None:
        """End all of it, whatever state it is in; what it has written stays."""
        if self.folder.path.exists():
            self.mediaflow("down")
        if left := [each.name for each in find_survivors(self.folder)]:
            raise CommandFailed(f"still running after `mediaflow down`: {', '.join(left)}")

    def mediaflow(self, *arguments: str) -> str:
        """Run the command line as a user does; gives what it says. Raises CommandFailed."""
        done = subprocess.run(
            [sys.executable, "-m", "local_fleet", *arguments],
            env=self.environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=_COMMAND_LIMIT_S,
            check=False,
            start_new_session=True,  # Ctrl-C is for the scenarios, which then take the fleet down
        )
        if done.returncode != 0:
            raise CommandFailed(f"mediaflow {' '.join(arguments)}: {(done.stdout + done.stderr).strip()}")
        return done.stdout

    @property
    def environment(self) -> dict[str, str]:
        """The variables of the fleet: none of the user's own fleet or broker."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("MEDIAFLOW_", "AMQP_"))}
        own = {
            "PYTHONPATH": str(_HERE),
            "MEDIAFLOW_FLEET_FOLDER": str(self.folder.path),
            "MEDIAFLOW_FLEET_COOLDOWN_S": str(self.cooldown_s),
            "MEDIAFLOW_FLEET_CONSOLE": "off",
            "MEDIAFLOW_INGEST_PORT": str(self.port),
            "MEDIAFLOW_PROFILE": "simulated",
            "MEDIAFLOW_CHANNELS": str(self.channels_file),
            "MEDIAFLOW_LOG_FORMAT": "json",
        }
        given = {}
        if self.broker:
            given = {"AMQP_URL": self.broker.amqp_url, "MEDIAFLOW_MANAGEMENT_URL": self.broker.management_url}
        return kept | own | given

    # -- the channels file ---------------------------------------------------------------------------------------

    @property
    def channels_file(self) -> Path:
        """The fleet's own channels file."""
        return self.folder.path / "channels.toml"

    def write_channels(self, more: str = "") -> None:
        """Write the channels file: the packaged one with this fleet's changes, and `more` at its end."""
        text = resources.files("mq_common").joinpath("channels.toml").read_text("utf-8")
        for old, new in self.changes:
            if old not in text:
                raise ValueError(f"the packaged channels file has no {old!r}")
            text = text.replace(old, new)
        self.channels_file.write_text(text + more)

    @property
    def channels(self) -> dict[str, ChannelSpec]:
        """The channels as the file says now."""
        return load_channels(self.channels_file, "simulated")

    # -- what is seen of it --------------------------------------------------------------------------------------

    @property
    def door(self) -> Door:
        """Its ingest."""
        return Door(f"http://localhost:{self.port}")

    @cached_property
    def queues(self) -> Queues:
        """Its broker's queues."""
        broker = self.status()["broker"]
        return Queues(broker["amqp_url"], broker["management_url"])

    @property
    def results(self) -> Results:
        """What its channels have left in the store."""
        return Results(self.folder.media)

    def status(self) -> dict[str, Any]:
        """What the supervisor knows: broker, channels, processes."""
        return ControlClient(self.folder.socket).ask("status")

    def processes(self) -> dict[str, dict[str, Any]]:
        """The processes by name."""
        return {each["name"]: each for each in self.status()["processes"]}

    def workers(self) -> dict[str, int]:
        """How many workers of each channel are meant to run."""
        return {name: each["workers"] for name, each in self.status()["channels"].items()}

    def broker_environment(self) -> dict[str, str]:
        """The variables that a worker beside the fleet needs, with its mark, so that it ends with it."""
        broker = self.status()["broker"]
        places = {
            "MEDIAFLOW_STORE_URL": self.folder.media.as_uri(),
            "MEDIAFLOW_MEDIA_SCRATCH_DIR": str(self.folder.scratch),
        }
        addresses = {"AMQP_URL": broker["amqp_url"], "MEDIAFLOW_MANAGEMENT_URL": broker["management_url"]}
        return self.environment | places | addresses | {"MEDIAFLOW_HEALTH_PORT": "0"}

    # -- between scenarios ---------------------------------------------------------------------------------------

    def begin_anew(self) -> None:
        """Empty every queue and wait until no worker holds a message."""
        self.mediaflow("resume")
        names = [name for spec in self.channels.values() for name in (spec.queue, spec.dead_letter_queue)]
        self._await_readiness()

        def idle() -> bool:
            self.queues.purge(*names)
            depths = self.queues.depths()
            return all(depths[name].total == 0 for name in names)

        until(idle, _IDLE_LIMIT_S, "an idle fleet")

    def _await_readiness(self) -> None:
        until(
            lambda: all(each["state"] in ("ready", "stopping") for each in self.status()["processes"]),
            _IDLE_LIMIT_S,
            "a fleet whose processes are all ready",
        )

    def await_ends(self, channel: str, assets: Iterable[str], within_s: float) -> None:
        """Wait until the channel has committed a result or given up on each asset. Raises TookTooLong."""
        left = set(assets)

        def ended() -> bool:
            left.difference_update(self.results.ended(channel, left))
            return not left

        try:
            until(ended, within_s, "the end")
        except TookTooLong:
            raise TookTooLong(f"{channel} has not ended {len(left)} assets within {within_s:.0f} s") from None
