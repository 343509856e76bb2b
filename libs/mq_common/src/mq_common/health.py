"""Probes and metrics over HTTP for processes that have no web server of their own."""

import json
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from prometheus_client import CONTENT_TYPE_LATEST, generate_latest

from mq_common.errors import ConfigurationError

Probe = Callable[[], str | None]
"""Gives None when all is well, otherwise the reason in a few words."""


class HealthServer:
    """Serves /healthz (restart me when this fails), /readyz (I take work) and /metrics on its own thread."""

    def __init__(self, host: str, port: int, *, live: Probe, ready: Probe) -> None:
        try:
            self._server = ThreadingHTTPServer((host, port), _handler(live, ready))
        except OSError as error:
            raise ConfigurationError(
                f"MEDIAFLOW_HEALTH_PORT: can't listen on {host}:{port}: {error.strerror}"
            ) from None
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.1,), name="health", daemon=True)

    @property
    def port(self) -> int:
        """The port it listens on, also when 0 was asked for."""
        return int(self._server.server_address[1])

    def start(self) -> None:
        """Begin to answer."""
        self._thread.start()

    def close(self) -> None:
        """Stop answering and free the port."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


def _handler(live: Probe, ready: Probe) -> type[BaseHTTPRequestHandler]:
    probes = {"/healthz": live, "/readyz": ready}

    class Handler(BaseHTTPRequestHandler):
        server_version = "mediaflow"
        sys_version = ""

        def do_GET(self) -> None:
            path = self.path.partition("?")[0]
            if path == "/metrics":
                self._answer(200, CONTENT_TYPE_LATEST, generate_latest())
            elif path in probes:
                reason = probes[path]()
                body = {"status": "ok"} if reason is None else {"status": "unavailable", "reason": reason}
                self._answer(200 if reason is None else 503, "application/json", json.dumps(body).encode() + b"\n")
            else:
                self._answer(404, "text/plain; charset=utf-8", b"/healthz /readyz /metrics\n")

        do_HEAD = do_GET  # noqa: N815 - the name is the standard library's

        def _answer(self, status: int, content_type: str, body: bytes) -> None:
            self.send_response(status)
            self.send_header("Content-Type", content_type)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            """Probes come every few seconds; a line for each would hide the rest."""

    return Handler
