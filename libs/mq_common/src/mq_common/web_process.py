"""gunicorn as a process of the fleet: its exit codes, its log lines and its listening socket are like everybody's.

For the services that answer HTTP, which bring gunicorn with them; workers do without it.
"""

import socket
import sys
import threading
from collections.abc import Callable
from typing import Any

from gunicorn.arbiter import Arbiter
from gunicorn.errors import HaltServer
from gunicorn.glogging import Logger

from mq_common.errors import ConfigurationError
from mq_common.process import EXIT_CONFIGURATION

#: The unread rest of a body that gunicorn reads on to keep the connection.
_DRAINED_BYTES = 64 * 1024

_current = threading.local()

#: WSGI's start_response (PEP 3333).
StartResponse = Callable[..., Any]


class FleetArbiter(Arbiter):
    """gunicorn's master. Its own codes for a worker that can't start would mean something else in this fleet."""

    WORKER_BOOT_ERROR = EXIT_CONFIGURATION
    APP_LOAD_ERROR = EXIT_CONFIGURATION

    def run(self) -> None:
        """Serve until stopped; ends with SystemExit."""
        try:
            super().run()  # type: ignore[no-untyped-call]
        except HaltServer as halt:  # a second worker could not start while the first one's failure was ending us
            sys.exit(halt.exit_status)


class FleetLogger(Logger):
    """gunicorn's messages, in the form and place of all others."""

    def setup(self, cfg: Any) -> None:
        """Leave the records to the root logger's handler."""
        super().setup(cfg)  # type: ignore[no-untyped-call]
        for logger in (self.error_log, self.access_log):
            logger.handlers.clear()
            logger.propagate = True


def remember_request(_worker: Any, request: Any) -> None:
    """Keep gunicorn's request for ``announcing_close`` on the same thread; gunicorn's hook ``pre_request``."""
    _current.request = request


def announcing_close(start_response: StartResponse) -> StartResponse:
    """Wrap WSGI's start_response: with a refusal of a large body it says that the connection ends there.

    Of a body that nobody read gunicorn reads a little more and else drops the connection: a client that was promised
    to keep it would lose its next request.
    """

    def start(status: str, headers: Any, *exc_info: Any) -> Any:
        request = getattr(_current, "request", None)
        if request is not None and status[0] in "45" and _is_large(dict(request.headers)):
            request.force_close()
        return start_response(status, headers, *exc_info)

    return start


def _is_large(headers: dict[str, str]) -> bool:
    length = headers.get("CONTENT-LENGTH", "")
    return "TRANSFER-ENCODING" in headers or (length.isdecimal() and int(length) >= _DRAINED_BYTES)


def listen(host: str, port: int, *, backlog: int, variable: str, hint: str) -> socket.socket:
    """Open the listening socket first, so that a taken port is one clear line.

    ``variable`` names the setting of the port, ``hint`` asks what may be the matter. Raises ConfigurationError.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, backlog=backlog)
    except OSError as error:
        raise ConfigurationError(f"{variable}: can't listen on {host}:{port}: {error.strerror}. {hint}") from None
