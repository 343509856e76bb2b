"""Answers on the control socket with what the supervisor knows and does."""

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from local_fleet.control import Trouble, socket_address
from local_fleet.replays import ReplayRefused
from local_fleet.supervisor import Supervisor
from mq_common.errors import ConfigurationError

Answer = dict[str, Any]

_NO_SUCH_REQUEST: Answer = {"error": "no such request"}

#: A request that names thousands of messages is long, in bytes.
_LONGEST_REQUEST = 4 * 1024 * 1024


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
            server = await asyncio.start_unix_server(self._converse, address, limit=_LONGEST_REQUEST)
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
            case {"do": "scale" | "pause" | "resume"}:
                yield self._on_workers(request)
            case {"do": "replay" | "replays" | "stop-replay"}:
                yield self._on_replays(request)
            case {"do": "reload"}:
                yield self._changing(lambda: asdict(self._supervisor.reload()))
            case {"do": "autoscale", "cooldown_s": int() | float() as cooldown_s}:
                ok = self._supervisor.autoscale(cooldown_s)
                yield {"ok": ok} if ok else {"error": "scaling needs the broker's MEDIAFLOW_MANAGEMENT_URL"}
            case {"do": "stop"}:
                async for answer in self._stop():
                    yield answer
            case _:
                yield _NO_SUCH_REQUEST

    def _on_workers(self, request: Answer) -> Answer:
        match request:
            case {"do": "scale", "channel": str(name), "count": int(count)}:
                return self._on_channel(name, lambda: self._supervisor.scale(name, count))
            case {"do": "pause", "channel": str() | None as channel}:
                return self._on_channel(channel, lambda: self._supervisor.pause(channel))
            case {"do": "resume", "channel": str() | None as channel}:
                return self._on_channel(channel, lambda: self._supervisor.resume(channel))
            case _:
                return _NO_SUCH_REQUEST

    def _on_replays(self, request: Answer) -> Answer:
        match request:
            case {"do": "replay", "channel": str(name), "arguments": [*arguments], "request": dict(words)}:
                given = tuple(map(str, arguments))
                return self._changing(lambda: {"replay": self._supervisor.start_replay(name, given, words)})
            case {"do": "replays"}:
                return {"replays": self._supervisor.replays.describe()}
            case {"do": "stop-replay", "id": str(run_id)}:
                return self._stop_replay(run_id)
            case _:
                return _NO_SUCH_REQUEST

    def _on_channel(self, channel: str | None, act: Callable[[], None]) -> Answer:
        """Do something to one channel, or to all; the answer tells how they are then."""

        def then_tell() -> Answer:
            act()
            channels = self._supervisor.channels()
            chosen = {name: each for name, each in channels.items() if channel in (name, None)}
            return {"autoscale": self._supervisor.autoscales, "channels": chosen}

        return self._changing(then_tell)

    def _changing(self, act: Callable[[], Answer]) -> Answer:
        """Do something that changes the fleet; what it gives, or why it can't be."""
        if self._stopping:
            return _error("the fleet is stopping", Trouble.STOPPING)
        try:
            return {"ok": True} | act()
        except KeyError as error:
            known = ", ".join(self._supervisor.channels())
            return _error(f"no channel {error.args[0]!r}; there are: {known}", Trouble.UNKNOWN_CHANNEL)
        except (ValueError, ReplayRefused) as error:
            return _error(str(error), Trouble.REFUSED)
        except ConfigurationError as error:
            return _error(str(error), Trouble.CONFIGURATION)

    def _stop_replay(self, run_id: str) -> Answer:
        try:
            run = self._supervisor.replays.find(run_id)
        except KeyError:
            return _error(f"no replay {run_id!r} is known", Trouble.UNKNOWN_REPLAY)
        if not run.ended:
            run.ask_to_stop()
        return {"ok": True, "replay": run.describe()}

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


def _error(message: str, trouble: Trouble) -> Answer:
    return {"error": message, "trouble": str(trouble)}
