"""The process: gunicorn with one worker of many threads, for a live view keeps a thread as long as it is open."""

import signal
import socket
import sys
from collections.abc import Callable
from typing import Any, cast

import structlog
from gunicorn.app.base import BaseApplication

from console.access.access import check_access
from console.control.choose import choose_control
from console.control.settings import ControlSettings, FleetFolderSettings
from console.runtime import Runtime, open_runtime
from console.settings import OWNER, ConsoleSettings
from media_common.errors import StoreError
from media_common.settings import StoreSettings
from mq_common.errors import ConfigurationError
from mq_common.lifeline import die_with
from mq_common.logs import configure_logging
from mq_common.process import need_temporary_folder
from mq_common.settings import BrokerSettings, ChannelsSettings, LogSettings, WorkerSettings, load_settings
from mq_common.web_process import FleetArbiter, FleetLogger, announcing_close, listen, remember_request

log = structlog.get_logger()

#: Connections waiting to be accepted.
_BACKLOG = 512

#: Seconds an idle connection is kept for the browser's next request.
_KEEPALIVE_S = 30

#: Seconds that requests get to end; live views are cut off by then.
_GRACE_S = 3


def serve() -> int:
    """Check the settings and serve until SIGTERM. Raises ConfigurationError."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))  # until gunicorn has its own
    settings, store, broker, channels, control, folder, logs, _ = load_settings(
        *(ConsoleSettings, StoreSettings, BrokerSettings, ChannelsSettings, ControlSettings, FleetFolderSettings),
        *(LogSettings, WorkerSettings),
        owner=OWNER,
    )
    configure_logging("console", logs)
    need_temporary_folder()
    check_access(settings)
    listener = listen(
        settings.host,
        settings.port,
        backlog=_BACKLOG,
        variable="MEDIAFLOW_CONSOLE_PORT",
        hint="Is a console running already?",
    )

    def open_() -> Runtime:
        return open_runtime(settings, store, broker, channels, choose_control(control, folder))

    server = ConsoleServer(settings, listener, open_)
    log.info("console_started", address=server.address, viewers=settings.viewers)
    FleetArbiter(server).run()  # type: ignore[no-untyped-call]
    return 0


class ConsoleServer(BaseApplication):
    """What gunicorn runs. Everything that does not survive a fork is opened in ``load``, in the worker."""

    def __init__(self, settings: ConsoleSettings, listener: socket.socket, open_: Callable[[], Runtime]) -> None:
        self._settings = settings
        self._open = open_
        self._runtime: Runtime | None = None
        host, port = listener.getsockname()[:2]
        self.address = f"{host}:{port}"
        self._fd = listener.detach()
        super().__init__()  # type: ignore[no-untyped-call]

    def load_config(self) -> None:
        """Translate our settings into gunicorn's."""
        options: dict[str, Any] = {
            "bind": f"fd://{self._fd}",
            "backlog": _BACKLOG,
            "worker_class": "gthread",
            "workers": 1,
            "threads": self._settings.threads,
            "worker_connections": 4 * self._settings.threads,
            "keepalive": _KEEPALIVE_S,
            "graceful_timeout": _GRACE_S,
            "proc_name": "mediaflow-console",
            "control_socket_disable": True,
            "logger_class": FleetLogger,
            "loglevel": "warning",
            "pre_request": remember_request,
            "post_fork": lambda arbiter, _worker: die_with(arbiter.pid),
            "worker_exit": lambda _arbiter, _worker: self._close(),
        }
        for name, value in options.items():
            cast("Any", self.cfg).set(name, value)

    def load(self) -> Any:
        """Open what the pages stand on, and make the application. Runs in the worker, after the fork."""
        from console.app import create_app  # noqa: PLC0415 - the master, which never answers, stays small

        try:
            self._runtime = self._open()
        except StoreError as error:
            sys.stderr.write(f"mediaflow: MEDIAFLOW_STORE_URL: {error}\n")
            sys.exit(FleetArbiter.WORKER_BOOT_ERROR)
        except ConfigurationError as error:
            sys.stderr.write(f"mediaflow: {error}\n")
            sys.exit(FleetArbiter.WORKER_BOOT_ERROR)
        self._runtime.start()
        app = create_app(self._runtime)
        return lambda environ, start_response: app(environ, announcing_close(start_response))

    def _close(self) -> None:
        if self._runtime is not None:
            self._runtime.close()
