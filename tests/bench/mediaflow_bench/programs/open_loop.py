"""Sends JSON uploads at a constant rate, whether answers come or not: PORT RATE SECONDS TAG.

A request's latency counts from the moment it was due, so that a stalled server is not spared the requests that a
waiting client would have sent. Connections are kept alive and opened as they are needed, at most MOST_CONNECTIONS;
beyond that a request waits for a free one, on the clock.
"""

import asyncio
import sys
import time
from collections import deque
from collections.abc import Sequence

from mediaflow_bench.programs.outcome import tell

ACCEPTED = 202
MOST_CONNECTIONS = 1000
#: How long answers may be outstanding after the last request, in seconds; later ones count as failed.
PATIENCE_S = 15.0


def upload_request(host: str, asset_id: str) -> bytes:
    """Give the bytes of one JSON upload."""
    body = b'{"assetId":"%s","ownerId":"u-1","durationSec":120}' % asset_id.encode()
    head = (
        f"POST /media/upload HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\n"
        f"Content-Length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body


def percentile(ordered: Sequence[float], share: float) -> float:
    """Give the smallest value that `share` (0–1) of the rising values do not exceed."""
    rank = max(0, -(-len(ordered) * share // 1) - 1)
    return ordered[int(rank)]


class Exchange(asyncio.Protocol):
    """One kept-alive connection that has at most one request on its way."""

    def __init__(self, load: "OpenLoop") -> None:
        self._load = load
        self._received = b""
        self._due: float | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def send(self, due: float, request: bytes) -> None:
        self._due = due
        self._transport.write(request)

    def data_received(self, data: bytes) -> None:
        self._received += data
        end = self._received.find(b"\r\n\r\n")
        if end < 0:
            return
        head = self._received[:end].lower()
        _, _, length = head.partition(b"content-length:")
        if len(self._received) < end + 4 + int(length.split(b"\r\n", 1)[0]):
            return
        due, self._due = self._due, None
        status, closes = int(self._received[9:12]), b"connection: close" in head
        self._received = b""
        if due is not None:
            self._load.answered(due, status)
        if closes:
            self._transport.close()
        else:
            self._load.free(self)

    def connection_lost(self, _: Exception | None) -> None:
        self._load.lost(self, self._due)


class OpenLoop:
    """The load: what is due when, who is free, what came back."""

    def __init__(self, port: int, rate: float, seconds: float, tag: str) -> None:
        self._port, self._rate, self._count, self._tag = port, rate, round(rate * seconds), tag
        self._idle: list[Exchange] = []
        self._overdue: deque[tuple[float, bytes]] = deque()
        self._connecting: set[asyncio.Future[None]] = set()
        self._connections = self._open = 0
        self._latencies: list[float] = []
        self._failures: dict[str, int] = {}

    async def run(self) -> None:
        """Send everything, wait for the answers, tell the figures."""
        began = time.perf_counter() + 0.1
        for number in range(self._count):
            due = began + number / self._rate
            if (wait := due - time.perf_counter()) > 0:
                await asyncio.sleep(wait)
            elif number % 50 == 0:
                await asyncio.sleep(0)  # behind: let answers in
            self._send(due, upload_request(f"127.0.0.1:{self._port}", f"{self._tag}-{number}"))
        deadline = time.perf_counter() + PATIENCE_S
        while self._done < self._count and time.perf_counter() < deadline:
            await asyncio.sleep(0.01)
        self._tell()

    def answered(self, due: float, status: int) -> None:
        if status == ACCEPTED:
            self._latencies.append(time.perf_counter() - due)
        else:
            self._fail(f"status {status}")

    def free(self, exchange: Exchange) -> None:
        if self._overdue:
            exchange.send(*self._overdue.popleft())
        else:
            self._idle.append(exchange)

    def lost(self, exchange: Exchange, due: float | None) -> None:
        self._open -= 1
        if exchange in self._idle:
            self._idle.remove(exchange)
        if due is not None:
            self._fail("connection lost")

    @property
    def _done(self) -> int:
        return len(self._latencies) + sum(self._failures.values())

    def _fail(self, reason: str) -> None:
        self._failures[reason] = self._failures.get(reason, 0) + 1

    def _send(self, due: float, request: bytes) -> None:
        if self._idle:
            self._idle.pop().send(due, request)
            return
        self._overdue.append((due, request))
        if self._open < MOST_CONNECTIONS:
            self._open += 1
            self._connections += 1
            self._connecting.add(task := asyncio.ensure_future(self._connect()))
            task.add_done_callback(self._connecting.discard)

    async def _connect(self) -> None:
        loop = asyncio.get_running_loop()
        try:
            _, exchange = await loop.create_connection(lambda: Exchange(self), "127.0.0.1", self._port)
        except OSError as error:
            self._open -= 1
            if self._overdue:
                self._overdue.popleft()
                self._fail(f"no connection: {error.strerror}")
            return
        self.free(exchange)

    def _tell(self) -> None:
        ordered = sorted(self._latencies)
        unanswered = self._count - self._done
        failures = self._failures | ({"no answer": unanswered} if unanswered else {})
        shares = {"p50": 0.5, "p95": 0.95, "p99": 0.99, "max": 1.0}
        tell(
            sent=self._count,
            accepted=len(ordered),
            failed=sum(failures.values()),
            failures=failures,
            connections=self._connections,
            ms={name: percentile(ordered, share) * 1000 if ordered else None for name, share in shares.items()},
        )


if __name__ == "__main__":
    asyncio.run(OpenLoop(int(sys.argv[1]), float(sys.argv[2]), float(sys.argv[3]), sys.argv[4]).run())
