"""An answer as status, headers and body: sent as it is where speed counts, or by way of Flask."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from http import HTTPStatus

from flask import Response

#: WSGI's start_response (PEP 3333), as far as it is used here.
StartResponse = Callable[[str, list[tuple[str, str]]], object]


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

    def to_response(self) -> Response:
        """Answer from a Flask view."""
        return Response(self.body, self.status, dict(self.headers), content_type=self.content_type)


_STATUS_LINES = {int(status): f"{int(status)} {status.phrase}" for status in HTTPStatus}
