"""Sends JSON uploads as fast as they are answered, over CONNECTIONS at once: PORT CONNECTIONS SECONDS TAG.

Stands in for wrk where that is not installed; it takes more of the processor than wrk does.
"""

import asyncio
import itertools
import sys
import time

from mediaflow_bench.programs.open_loop import ACCEPTED, percentile, upload_request
from mediaflow_bench.programs.outcome import tell


class ClosedLoop:
    """A number of clients, each with one request on its way."""

    def __init__(self, port: int, connections: int, seconds: float, tag: str) -> None:
        self._port, self._connections, self._seconds, self._tag = port, connections, seconds, tag
        self._numbers = itertools.count()
        self._latencies: list[float] = []
        self._failed = 0

    async def run(self) -> None:
        """Let all clients run, and tell the figures."""
        began = time.perf_counter()
        self._end = began + self._seconds
        await asyncio.gather(*(self._client() for _ in range(self._connections)))
        seconds = time.perf_counter() - began
        ordered = sorted(self._latencies)
        ms = {f"p{share}": percentile(ordered, share / 100) * 1000 for share in (50, 95, 99)}
        tell(requests=len(ordered) + self._failed, failed=self._failed, seconds=seconds, ms=ms)

    async def _client(self) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", self._port)
        while (sent := time.perf_counter()) < self._end:
            writer.write(upload_request(f"127.0.0.1:{self._port}", f"{self._tag}-{next(self._numbers)}"))
            head = (await reader.readuntil(b"\r\n\r\n")).lower()
            await reader.readexactly(int(head.partition(b"content-length:")[2].split(b"\r\n", 1)[0]))
            if int(head[9:12]) == ACCEPTED:
                self._latencies.append(time.perf_counter() - sent)
            else:
                self._failed += 1
        writer.close()


if __name__ == "__main__":
    asyncio.run(ClosedLoop(int(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3]), sys.argv[4]).run())
