"""A connection as a client keeps it that sends one upload after the other, byte for byte."""

import json
import socket
from types import TracebackType
from typing import Any, Self

from ingest_server import IngestServer

Reply = tuple[int, dict[str, str], Any]


def upload_bytes(body: bytes, **headers: str) -> bytes:
    """Give one JSON upload as it goes over the wire."""
    lines = ["POST /media/upload HTTP/1.1", "Host: localhost", "Content-Type: application/json"]
    lines += [f"Content-Length: {len(body)}", *(f"{name}: {value}" for name, value in headers.items())]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


def asset(asset_id: str, **more: Any) -> bytes:
    return json.dumps({"assetId": asset_id, "ownerId": "u-1"} | more).encode()


class KeptConnection:
    """Its first request is a look at /healthz, so that the next ones find it kept."""

    def __init__(self, server: IngestServer) -> None:
        self.socket: socket.socket = server.connect()
        self._left = b""
        self.socket.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert self.reply()[0] == 200

    def post(self, body: bytes, **headers: str) -> Reply:
        """Send an upload in one piece and take the reply."""
        self.send(body, **headers)
        return self.reply()

    def send(self, body: bytes, **headers: str) -> None:
        self.socket.sendall(upload_bytes(body, **headers))

    def reply(self) -> Reply:
        """Take the next reply: status, headers with small names, the JSON body."""
        head = self._until(b"\r\n\r\n")
        status, *lines = head.decode().split("\r\n")
        headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in lines if line)}
        return int(status.split()[1]), headers, json.loads(self._take(int(headers["content-length"])))

    def at_end(self) -> bool:
        """Whether the server has closed it."""
        return not self._left and self.socket.recv(1) == b""

    def _until(self, mark: bytes) -> bytes:
        while mark not in self._left:
            self._more()
        head, _, self._left = self._left.partition(mark)
        return head

    def _take(self, size: int) -> bytes:
        while len(self._left) < size:
            self._more()
        taken, self._left = self._left[:size], self._left[size:]
        return taken

    def _more(self) -> None:
        more = self.socket.recv(65536)
        assert more, f"the connection ended after {self._left!r}"
        self._left += more

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.socket.close()
