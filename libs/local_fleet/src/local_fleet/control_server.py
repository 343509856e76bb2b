"""Answers on the control socket with what the supervisor knows and does."""

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from local_fleet.control import socket_address
from local_fleet.supervisor import Supervisor
from mq_common.errors import ConfigurationError

Answer = dict[str, Any]

_STOPPING: Answer = {"error": "the fleet is stopping"}


class ControlServer:
    """Serves one supervisor; `stopped` is set once a client's stop (or `stop()`) has ended the fleet."""

    def __init__(self, supervisor: Supervisor, path: Path) -> None:
        self.stopped = asyncio.Event()
        self._supervisor = supervisor
        self._path = path
        self._stopping = False

    async def serve(self) -> asyncio.Server:
        """Listen; only this user may connect."""
        self._path.unlink(missing_ok=True)
        with socket_address(self._path) as address:
            server = await asyncio.start_unix_server(self._converse, address)
        self._path.chmod(0o600)
        return server

    async def stop(self) -> None:
        """End the fleet in order, as a client's stop does."""
        async for _ in self._stop():
            pass

    async def _converse(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            request = json.loads(await reader.readline())
            async for answer in self._answers(request):
                # A client that has gone must not keep a stop from going on.
                with contextlib.suppress(ConnectionError):
                    writer.write(json.dumps(answer).encode() + b"\n")
                    await writer.drain()
        except (ValueError, ConnectionError):
            pass
        finally:
            writer.close()

    async def _answers(self, request: Answer) -> AsyncIterator[Answer]:
        match request:
            case {"do": "ping"}:
                yield {"ok": True}
            case {"do": "status"}:
                yield self._supervisor.status() | {"stopping": self._stopping}
            case {"do": "scale", "channel": str(name), "count": int(count)}:
                yield self._on_channel(name, lambda: self._supervisor.scale(name, count))
            case {"do": "pause", "channel": str() | None as channel}:
                yield self._on_channel(channel, lambda: self._supervisor.pause(channel))
            case {"do": "resume", "channel": str() | None as channel}:
                yield self._on_channel(channel, lambda: self._supervisor.resume(channel))
            case {"do": "reload"}:
                yield self._reload()
            case {"do": "autoscale", "cooldown_s": int() | float() as cooldown_s}:
                ok = self._supervisor.autoscale(cooldown_s)
                yield {"ok": ok} if ok else {"error": "scaling needs the broker's MEDIAFLOW_MANAGEMENT_URL"}
            case {"do": "stop"}:
                async for answer in self._stop():
                    yield answer
            case _:
                yield {"error": "no such request"}

    def _on_channel(self, channel: str | None, act: Callable[[], None]) -> Answer:
        """Do something to one channel, or to all; the answer tells how they are then."""
        if self._stopping:
            return _STOPPING
        try:
            act()
        except KeyError:
            known = ", ".join(self._supervisor.status()["channels"])
            return {"error": f"no channel {channel!r}; there are: {known}"}
        except ValueError as error:
            return {"error": str(error)}
        status = self._supervisor.status()
        chosen = {name: each for name, each in status["channels"].items() if channel in (name, None)}
        return {"ok": True, "autoscale": status["autoscale"], "channels": chosen}

    def _reload(self) -> Answer:
        if self._stopping:
            return _STOPPING
        try:
            return {"ok": True} | asdict(self._supervisor.reload())
        except ConfigurationError as error:
            return {"error": str(error)}

    async def _stop(self) -> AsyncIterator[Answer]:
        if self._stopping:
            await self.stopped.wait()
            return
        self._stopping = True
        try:
            async for name, ending in self._supervisor.stop():
                yield {"name": name, "ending": str(ending)}
        finally:
            self.stopped.set()
