"""The load generator: clients that upload, write down every answer, and come back when the answer left it open."""

import http.client
import json
import random
import select
import threading
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlencode, urlsplit

from mediaflow_chaos.append_log import AppendLog

#: A client that tries again waits so long, in seconds.
_SHORTEST_PAUSE_S, _LONGEST_PAUSE_S = 0.2, 2.0
#: One in so many clients does not come back after an answer that leaves it open.
_ONE_IN_GIVES_UP = 5
_BURST = "/media/burst"
_TRANSPORT = (OSError, http.client.HTTPException)


@dataclass(frozen=True, slots=True)
class LoadPlan:
    """How much load: uploads a second, clients at once, one file in so many uploads (0: none), bursts likewise."""

    seed: int
    rate: float = 30.0
    clients: int = 8
    one_in_is_file: int = 50
    one_in_is_burst: int = 200
    burst_size: int = 60
    #: Use a connection again. One that is opened for each upload meets what every new client meets.
    keep_connections: bool = True
    #: Seconds for an answer. Longer than ingest's own limit, so that its answer is seen and not cut off.
    answer_limit_s: float = 12.0


class LoadGenerator:
    """Uploads to ``url`` until `stop`; every line of ``book`` is on the disk before the next step."""

    def __init__(self, url: str, book: Path, load: LoadPlan, clip: bytes) -> None:
        self._address = urlsplit(url).netloc
        self._book = AppendLog(book, durable=True)
        self._load, self._clip = load, clip
        self._stopping, self._leaving = threading.Event(), threading.Event()
        self._numbers, self._lock, self._began = 0, threading.Lock(), 0.0
        self.answers: Counter[str] = Counter()
        self._threads = [
            threading.Thread(target=self._be_client, args=(number,), name=f"client-{number}", daemon=True)
            for number in range(load.clients)
        ]

    def start(self) -> None:
        """Start the clients."""
        self._began = time.monotonic()
        for thread in self._threads:
            thread.start()

    def stop(self, patience_s: float) -> None:
        """Send nothing new; clients whose upload is open get ``patience_s`` seconds to have it answered."""
        self._stopping.set()
        deadline = time.monotonic() + patience_s
        for thread in self._threads:
            thread.join(max(0.0, deadline - time.monotonic()))
        self._leaving.set()
        for thread in self._threads:
            thread.join(self._load.answer_limit_s + _LONGEST_PAUSE_S + 1)
        self._book.close()

    def _be_client(self, number: int) -> None:
        client = _Client(self._address, self._load)
        pauses = random.Random(f"client:{self._load.seed}:{number}")
        while not self._stopping.is_set():
            mine = self._next_number()
            if mine is None:
                return
            every = self._load.one_in_is_burst
            if every and mine % every == 0:
                self._send_burst(client, mine)
            else:
                self._upload(client, mine, pauses)
        client.close()

    def _next_number(self) -> int | None:
        """Take the next upload's number when its time has come; None when there is to be no more."""
        with self._lock:
            self._numbers += 1
            mine = self._numbers
        due = self._began + mine / self._load.rate
        return None if self._stopping.wait(max(0.0, due - time.monotonic())) else mine

    def _upload(self, client: "_Client", number: int, pauses: random.Random) -> None:
        asset = f"chaos-{self._load.seed}-{number:06d}"
        every = self._load.one_in_is_file
        request = _file(asset, self._clip) if every and number % every == 0 else _simulated(asset)
        while True:
            self._book.add(what="sent", asset=asset, file=request.has_file, at=time.time())
            status = self._send(client, asset, request)
            if status is not None and status < 500 and status != 429:
                return
            gives_up = number % _ONE_IN_GIVES_UP == 0
            if gives_up or self._leaving.wait(pauses.uniform(_SHORTEST_PAUSE_S, _LONGEST_PAUSE_S)):
                return

    def _send(self, client: "_Client", asset: str, request: "_Request") -> int | None:
        """Send once; gives the status, None when there was no answer."""
        answered = self._ask(client, request)
        if isinstance(answered, Exception):
            self._book.add(what="unanswered", asset=asset, error=type(answered).__name__)
            return None
        status, problem, answer = answered
        self._book.add(what="answered", asset=asset, status=status, event=answer.get("eventId"), problem=problem)
        return status

    def _send_burst(self, client: "_Client", number: int) -> None:
        """Send a burst, once: sent again, it would be another one."""
        owner, count = f"chaos-burst-{self._load.seed}-{number:06d}", self._load.burst_size
        self._book.add(what="sent", burst=owner, count=count, at=time.time())
        answered = self._ask(client, _burst(owner, count))
        if isinstance(answered, Exception):
            self._book.add(what="unanswered", burst=owner, error=type(answered).__name__)
            return
        status, problem, answer = answered
        self._book.add(what="answered", burst=owner, status=status, burst_id=answer.get("burstId"), problem=problem)

    def _ask(self, client: "_Client", request: "_Request") -> tuple[int, str, dict[str, object]] | Exception:
        """Give status, problem and body of the answer, or why there is none."""
        kind = "burst " if request.path == _BURST else ""
        try:
            status, body = client.post(request)
        except _TRANSPORT as error:
            self.answers[f"{kind}none"] += 1
            return error
        answer = _object(body)
        problem = str(answer.get("type", "")).rpartition(":")[2]
        self.answers[f"{kind}{status} {problem}".strip()] += 1
        return status, problem, answer


@dataclass(frozen=True, slots=True)
class _Request:
    path: str
    content_type: str
    key: str | None
    body: bytes
    has_file: bool


class _Client:
    """One connection, opened again when it is lost, or for each request where connections are not kept."""

    def __init__(self, address: str, load: LoadPlan) -> None:
        self._address, self._keep, self._limit_s = address, load.keep_connections, load.answer_limit_s
        self._connection: http.client.HTTPConnection | None = None

    def post(self, request: _Request) -> tuple[int, bytes]:
        if self._connection is not None and _was_dropped(self._connection):
            self.close()
        connection = self._connection or http.client.HTTPConnection(self._address, timeout=self._limit_s)
        self._connection = connection
        headers = {"Content-Type": request.content_type}
        if request.key is not None:
            headers["Idempotency-Key"] = request.key
        if not self._keep:
            headers["Connection"] = "close"
        try:
            connection.request("POST", request.path, request.body, headers)
            answer = connection.getresponse()
            status, body = answer.status, answer.read()
        except _TRANSPORT:
            self.close()
            raise
        if not self._keep:
            self.close()
        return status, body

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None


def _was_dropped(connection: http.client.HTTPConnection) -> bool:
    """Tell whether the server has closed an idle connection, as every client with a pool looks before it sends."""
    return connection.sock is not None and bool(select.select([connection.sock], [], [], 0)[0])


def _simulated(asset: str) -> _Request:
    body = json.dumps({"assetId": asset, "ownerId": "chaos", "durationSec": 12}).encode()
    return _Request("/media/upload", "application/json", f"key-{asset}", body, has_file=False)


def _burst(owner: str, count: int) -> _Request:
    body = json.dumps({"count": count, "ownerId": owner}).encode()
    return _Request(_BURST, "application/json", None, body, has_file=False)


def _file(asset: str, clip: bytes) -> _Request:
    query = urlencode({"assetId": asset, "ownerId": "chaos", "filename": "chaos.mp4"})
    return _Request(f"/media/upload?{query}", "video/mp4", f"key-{asset}", clip, has_file=True)


def _object(body: bytes) -> dict[str, object]:
    try:
        value = json.loads(body)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}
