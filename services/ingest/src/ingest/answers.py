"""An answer as status, headers and body: sent as it is where speed counts, or by way of Flask."""

import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from email.utils import formatdate
from functools import lru_cache
from http import HTTPStatus

from flask import Response
from gunicorn import SERVER

from mq_common.web_process import StartResponse


@dataclass(frozen=True, slots=True)
class Answer:
    """What a request gets."""

    status: int
    body: bytes
    content_type: str = "application/json"
    headers: Mapping[str, str] = field(default_factory=dict)

    def send(self, start_response: StartResponse) -> Iterable[bytes]:
        """Answer a WSGI request."""
        headers = [("Content-Type", self.content_type), ("Content-Length", str(len(self.body))), *self.headers.items()]
        start_response(_STATUS_LINES.get(self.status) or str(self.status), headers)
        return (self.body,)

    def to_bytes(self, *, keep_alive: bool) -> bytes:
        """Give the whole HTTP/1.1 response, with the headers that gunicorn sends."""
        head = [
            f"HTTP/1.1 {_STATUS_LINES[self.status]}\r\nServer: {SERVER}\r\nDate: {http_date(int(time.time()))}\r\n"
            f"Connection: {'keep-alive' if keep_alive else 'close'}\r\n"
            f"Content-Type: {self.content_type}\r\nContent-Length: {len(self.body)}\r\n"
        ]
        head += [f"{name}: {value}\r\n" for name, value in self.headers.items()]
        return "".join(head).encode("latin-1") + b"\r\n" + self.body

    def to_response(self) -> Response:
        """Answer from a Flask view."""
        return Response(self.body, self.status, dict(self.headers), content_type=self.content_type)


@lru_cache(maxsize=1)
def http_date(unix_s: int) -> str:
    """Write the Date header's value (RFC 9110), once a second."""
    return formatdate(unix_s, usegmt=True)


_STATUS_LINES = {int(status): f"{int(status)} {status.phrase}" for status in HTTPStatus}
