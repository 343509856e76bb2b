"""Which processes the fleet consists of, and what each is told. Pure: nothing is started here."""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from local_fleet.member import MemberSpec
from local_fleet.run_folder import RunFolder
from local_fleet.settings import ConsoleEndpoint, FleetSettings, IngestEndpoint
from mq_common.channels import ChannelSpec

#: Seconds that running jobs get when the fleet stops; a job that needs longer goes back to its queue.
_GRACE_S = 10.0

#: What the fleet sets for its processes where the user has not.
_DEFAULTS = {
    "MEDIAFLOW_GRACE_S": str(_GRACE_S),
    "MEDIAFLOW_INGEST_ALLOW_SIMULATED": "true",  # a fleet on one's own machine is there to be tried out
    "PYTHONUNBUFFERED": "1",
}


#: Name of the one process that the fleet can do without.
CONSOLE = "console"

#: Where a server that listens everywhere is asked.
_LOOPBACK_OF = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104


@dataclass(frozen=True)
class FleetPlan:
    """Channels, endpoint and environment of a fleet whose broker is known."""

    channels: Mapping[str, ChannelSpec]
    commands: Mapping[str, tuple[str, ...]]
    initial_workers: Mapping[str, int]
    ingest: IngestEndpoint
    environment: Mapping[str, str] = field(repr=False)
    console: ConsoleEndpoint | None = None

    def workers_at_start(self, channel: str) -> int:
        """Workers of `channel` when the fleet starts."""
        return self.initial_workers.get(channel, self.channels[channel].workers.min)

    @property
    def grace_s(self) -> float:
        """Seconds that workers give their running jobs after SIGTERM."""
        try:
            return max(0.0, float(self.environment.get("MEDIAFLOW_GRACE_S", _GRACE_S)))
        except ValueError:  # the workers refuse it with a clear line
            return _GRACE_S

    def ingest_spec(self) -> MemberSpec:
        """Describe the one ingest process."""
        host = _LOOPBACK_OF.get(self.ingest.ingest_host, self.ingest.ingest_host)
        return MemberSpec("ingest", self._command("ingest"), self.environment, host, self.ingest.ingest_port)

    def console_spec(self) -> MemberSpec | None:
        """Describe the console, where the fleet has one."""
        if self.console is None:
            return None
        host = _LOOPBACK_OF.get(self.console.console_host, self.console.console_host)
        return MemberSpec(CONSOLE, self._command(CONSOLE), self.environment, host, self.console.console_port)

    def worker_spec(self, channel: str, number: int) -> MemberSpec:
        """Describe worker `number` (from 1) of `channel`."""
        return MemberSpec(f"{channel}-{number}", self._command(channel), self.environment)

    def replayer_spec(self, channel: str, arguments: Sequence[str]) -> MemberSpec:
        """Describe a run of the replayer over the dead letters of `channel` that tells its progress to a program."""
        command = (*self._command("replayer"), f"--channel={channel}", "--progress=json", *arguments)
        return MemberSpec(f"replayer-{channel}", command, self.environment)

    def _command(self, name: str) -> tuple[str, ...]:
        return self.commands.get(name, (sys.executable, "-m", name))


def plan_fleet(
    settings: FleetSettings,
    ingest: IngestEndpoint,
    *,
    channels: Mapping[str, ChannelSpec],
    folder: RunFolder,
    inherited: Mapping[str, str],
    broker: Mapping[str, str],
    console: ConsoleEndpoint | None = None,
) -> FleetPlan:
    """Plan a fleet; `broker` holds AMQP_URL and, where known, MEDIAFLOW_MANAGEMENT_URL."""
    places = {
        "MEDIAFLOW_STORE_URL": folder.media.as_uri(),
        "MEDIAFLOW_MEDIA_SCRATCH_DIR": str(folder.scratch),
        "MEDIAFLOW_CONSOLE_STATE_DIR": str(folder.console),
        "MEDIAFLOW_CONSOLE_INGEST_URL": ingest.url,
    }
    return FleetPlan(
        channels=channels,
        commands=settings.commands,
        initial_workers=settings.workers,
        ingest=ingest,
        console=console if settings.fleet_console == "on" else None,
        environment=_DEFAULTS | places | dict(inherited) | dict(broker),
    )
