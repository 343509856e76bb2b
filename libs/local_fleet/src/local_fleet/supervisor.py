"""The supervisor: the one process of the fleet that starts, watches and ends all the others."""

import asyncio
import os
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping, Sequence
from dataclasses import replace
from typing import Any

import structlog

from local_fleet.addresses import broker_without_login, vhost_of
from local_fleet.autoscaler import Autoscaler
from local_fleet.broker_choice import BrokerChoice
from local_fleet.broker_member import BrokerMember
from local_fleet.channel_changes import ChannelChanges, compare
from local_fleet.crew import Crew
from local_fleet.fleet_plan import FleetPlan
from local_fleet.member import Member
from local_fleet.member_state import Ending
from local_fleet.replays import Replays
from local_fleet.run_folder import RunFolder
from mq_common.channels import ChannelSpec
from mq_common.management import ManagementClient

_log = structlog.get_logger()

#: What a process gets on top of its own grace time before it is killed, in seconds.
_MARGIN_S = 10.0

#: How long the broker gets to close its queues, in seconds.
_BROKER_GRACE_S = 20.0

#: Reads the channels file as it is now.
ChannelsReader = Callable[[], Mapping[str, ChannelSpec]]


class Supervisor:
    """A running fleet. Belongs to the event loop of the main thread."""

    def __init__(
        self,
        plan: FleetPlan,
        broker: BrokerChoice,
        folder: RunFolder,
        read_channels: ChannelsReader,
    ) -> None:
        self._plan = plan
        self._folder = folder
        self._read_channels = read_channels
        self._choice = broker
        self._broker = BrokerMember(broker.node) if broker.node else None
        self._ingest = Member(plan.ingest_spec(), folder)
        console = plan.console_spec()
        self._console = Member(console, folder) if console else None
        self._crews = {name: Crew(name, plan, folder) for name in plan.channels}
        self._autoscaling: asyncio.Task[None] | None = None
        self.replays = Replays(folder)

    def start(self) -> None:
        """Start everything at once: services wait for the broker by themselves."""
        if self._broker:
            self._broker.watch()
        self._ingest.start()
        if self._console:
            self._console.start()
        for crew in self._crews.values():
            crew.resize(self._plan.workers_at_start(crew.channel))

    def status(self) -> dict[str, Any]:
        """Describe the fleet: broker, processes in their order, channels."""
        environment = self._plan.environment
        processes = [each.snapshot() for each in (self._ingest, *self._consoles(), *self._workers())]
        if self._broker:
            processes.insert(0, self._broker.snapshot())
        return {
            "supervisor": os.getpid(),
            "broker": {
                "kind": self._choice.kind,
                "address": broker_without_login(environment["AMQP_URL"]),
                "amqp_url": environment["AMQP_URL"],
                "management_url": environment.get("MEDIAFLOW_MANAGEMENT_URL"),
            },
            "ingest": self._plan.ingest.url,
            "console": self._plan.console.url if self._plan.console else None,
            "store_url": environment["MEDIAFLOW_STORE_URL"],
            "autoscale": self.autoscales,
            "channels": self.channels(),
            "processes": processes,
            "replays": [each.describe() for each in self.replays.running],
        }

    def channels(self) -> dict[str, Any]:
        """Describe the channels there are, in the order of their file."""
        return {name: self._describe(spec) for name, spec in self._plan.channels.items()}

    def _describe(self, spec: ChannelSpec) -> dict[str, Any]:
        crew = self._crews[spec.name]
        return {
            "queue": spec.queue,
            "workers": crew.size,
            "paused": crew.paused,
            "wanted": crew.wanted,
            "held": crew.held,
            "scaled_by": "autoscaler" if self.autoscales else "hand",
            "min": spec.workers.min,
            "max": spec.workers.max,
        }

    def _consoles(self) -> list[Member]:
        return [self._console] if self._console else []

    def _workers(self) -> list[Member]:
        """All workers, also those of channels that are gone and that finish what they hold."""
        return [member for crew in self._crews.values() for member in crew.members]

    @property
    def autoscales(self) -> bool:
        """Whether the number of workers follows the queues."""
        return self._autoscaling is not None

    def scale(self, channel: str, count: int) -> None:
        """Run `count` workers of `channel`; surplus ones finish what they do. Raises KeyError, ValueError.

        Where the autoscaler is on, it leaves the channel alone until `resume`, as KEDA does with `paused-replicas`.
        """
        crew = self._crew(channel)
        crew.hold(count) if self.autoscales else crew.resize(count)
        _log.info("scaled", channel=channel, workers=count, held=crew.held)

    def pause(self, channel: str | None) -> None:
        """Take nothing more from the queue of `channel`, or of all; workers finish what they hold. Raises KeyError."""
        for crew in self._crews_of(channel):
            crew.pause()
        _log.info("paused", channel=channel or "all")

    def resume(self, channel: str | None) -> None:
        """Run as many workers of `channel`, or of all that are paused, as before the pause. Raises KeyError.

        A channel that is named, held and not paused goes back to the autoscaler.
        """
        for crew in self._crews_of(channel):
            if crew.paused:
                crew.resume()
            elif channel:
                crew.release()
        _log.info("resumed", channel=channel or "all")

    def reload(self) -> ChannelChanges:
        """Read the channels file again and follow it: nothing else is touched, ingest least of all.

        A new channel's workers start; those of a changed one are renewed; those of one that is gone finish what they
        hold. Raises ConfigurationError when the file is wrong; everything stays as it is then.
        """
        channels = self._read_channels()
        changes = compare(self._plan.channels, channels)
        self._plan = replace(self._plan, channels=channels)
        for name in changes.gone:
            self._crews[name].dissolve()
        for name in changes.added:
            crew = self._crews.setdefault(name, Crew(name, self._plan, self._folder))
            crew.resize(self._plan.workers_at_start(name))
        for name in changes.changed:
            self._crews[name].renew()
        _log.info("channels_reloaded", added=changes.added, changed=changes.changed, gone=changes.gone)
        return changes

    def _crew(self, channel: str) -> Crew:
        if channel not in self._plan.channels:
            raise KeyError(channel)
        return self._crews[channel]

    def _crews_of(self, channel: str | None) -> list[Crew]:
        return [self._crew(name) for name in ([channel] if channel else self._plan.channels)]

    def _running(self, channel: str) -> int | None:
        crew = self._crew(channel)
        return None if crew.paused or crew.held else crew.size

    def start_replay(self, channel: str, arguments: Sequence[str], request: Mapping[str, Any]) -> dict[str, Any]:
        """Put dead letters of `channel` back, in a process of its own. Raises KeyError, ReplayRefused."""
        self._crew(channel)
        return self.replays.start(self._plan, channel, arguments, request).describe()

    def autoscale(self, cooldown_s: float) -> bool:
        """Scale every channel by queue length from now on, also those that were held.

        False when the broker's management address is not known.
        """
        url = self._plan.environment.get("MEDIAFLOW_MANAGEMENT_URL")
        if not url:
            return False
        for crew in self._crews.values():
            crew.release()
        if self._autoscaling is None:
            vhost = vhost_of(self._plan.environment["AMQP_URL"])
            scaler = Autoscaler(
                lambda: self._plan.channels,
                read_depths=ManagementClient(url, vhost=vhost).queue_depths,
                running=self._running,
                scale=lambda channel, count: self._crew(channel).resize(count),
                cooldown_s=cooldown_s,
            )
            self._autoscaling = asyncio.create_task(scaler.run())
        return True

    async def stop(self) -> AsyncIterator[tuple[str, Ending]]:
        """End everything in order: workers and replays, ingest, broker. Gives name and ending as they happen."""
        if self._autoscaling:
            self._autoscaling.cancel()
        grace_s = self._plan.grace_s + _MARGIN_S
        leaving = [(each.spec.name, each.stop(grace_s)) for each in (*self._consoles(), *self._workers())]
        leaving += [(each.spec.name, each.stop(grace_s)) for each in self.replays.running]
        async for ended in _each_as_it_ends(leaving):
            yield ended
        yield "ingest", await self._ingest.stop(grace_s)
        if self._broker:
            yield "broker", await self._broker.stop(_BROKER_GRACE_S)
        _log.info("fleet_stopped")


async def _each_as_it_ends(stops: list[tuple[str, Coroutine[Any, Any, Ending]]]) -> AsyncIterator[tuple[str, Ending]]:
    async def end(name: str, stop: Coroutine[Any, Any, Ending]) -> tuple[str, Ending]:
        return name, await stop

    for ended in asyncio.as_completed([end(*each) for each in stops]):
        yield await ended
