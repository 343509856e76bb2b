"""The process: gunicorn with threads, a master that declares the topology, workers that connect after the fork."""

import signal
import socket
import sys
from collections.abc import Callable, Iterable
from typing import Any, cast

import gunicorn.util
import structlog
from gunicorn.app.base import BaseApplication

from ingest import metrics
from ingest.app import create_app
from ingest.front_worker import FrontWorker
from ingest.late_topology import LateTopology
from ingest.problems import CONTENT_TYPE, of_status, render
from ingest.runtime import Runtime, open_runtime, prepare_back_pressure
from ingest.settings import OWNER, IngestSettings, OutboxSettings
from media_common.errors import StoreError
from media_common.settings import StoreSettings
from mq_common.channels import ChannelSpec, load_channels
from mq_common.errors import BrokerUnreachable
from mq_common.lifeline import die_with
from mq_common.logs import configure_logging
from mq_common.settings import BrokerSettings, ChannelsSettings, LogSettings, WorkerSettings, load_settings
from mq_common.topology import declare_topology
from mq_common.web_process import FleetArbiter, FleetLogger, listen, remember_request

log = structlog.get_logger()

#: Connections waiting to be accepted.
_BACKLOG = 2048

#: Seconds an idle connection is kept for the client's next request.
_KEEPALIVE_S = 30

#: Seconds a starting process looks for the broker when it can do without it for a while.
_PATIENCE_WITH_OUTBOX_S = 5.0


def serve() -> int:
    """Check the settings, declare the topology, and serve until SIGTERM.

    Raises ConfigurationError, BrokerUnreachable, TopologyMismatch.
    """
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))  # until gunicorn has its own
    settings, outbox, store, broker, channels, logs, worker = load_settings(
        *(IngestSettings, OutboxSettings, StoreSettings, BrokerSettings, ChannelsSettings, LogSettings, WorkerSettings),
        owner=OWNER,
    )
    configure_logging("ingest", logs)
    specs = load_channels(channels.channels, channels.profile)
    back_pressure = prepare_back_pressure(settings, broker)
    listener = listen(
        settings.host,
        settings.port,
        backlog=_BACKLOG,
        variable="MEDIAFLOW_INGEST_PORT",
        hint="Is ingest running already?",
    )
    late = _declare(broker, specs.values(), may_be_late=outbox.outbox == "on")
    server = IngestServer(
        settings,
        worker.grace_s,
        listener,
        lambda: open_runtime(
            settings, store, broker, channels, outbox=outbox, back_pressure=back_pressure, late_topology=late
        ),
    )
    log.info(
        "ingest_started",
        address=server.address,
        workers=settings.workers,
        threads=settings.threads,
        simulated=settings.allow_simulated,
        capacity=settings.capacity,
        outbox=outbox.outbox,
    )
    gunicorn.util.write_error = _write_problem
    FleetArbiter(server).run()  # type: ignore[no-untyped-call]
    return 0


def _declare(broker: BrokerSettings, specs: Iterable[ChannelSpec], *, may_be_late: bool) -> LateTopology | None:
    """Declare the topology, or give what will once the broker is there: uploads are accepted without it.

    Raises BrokerUnreachable unless it may be late; TopologyMismatch.
    """
    patience = broker.model_copy(update={"start_limit_s": min(broker.start_limit_s, _PATIENCE_WITH_OUTBOX_S)})
    try:
        declare_topology(patience if may_be_late else broker, specs)
    except BrokerUnreachable as error:
        if not may_be_late:
            raise
        log.warning("started_without_broker", reason=str(error), tip="uploads are accepted and wait in the outbox")
        return LateTopology(broker, specs)
    return None


class IngestServer(BaseApplication):
    """What gunicorn runs. Everything that does not survive a fork is opened in ``load``, in the worker."""

    def __init__(
        self, settings: IngestSettings, grace_s: float, listener: socket.socket, open_: Callable[[], Runtime]
    ) -> None:
        self._settings = settings
        self._grace_s = grace_s
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
            "worker_class": FrontWorker,
            "workers": self._settings.workers,
            "threads": self._settings.threads,
            "keepalive": _KEEPALIVE_S,
            "graceful_timeout": max(1, int(self._grace_s)),
            "limit_request_line": 8190,
            "proc_name": "mediaflow-ingest",
            "control_socket_disable": True,
            "logger_class": FleetLogger,
            "loglevel": "warning",
            "pre_request": remember_request,
            "post_fork": lambda arbiter, _worker: die_with(arbiter.pid),
            "worker_exit": lambda _arbiter, _worker: self._close(),
            "child_exit": lambda _arbiter, worker: metrics.forget_process(worker.pid),
        }
        for name, value in options.items():
            cast("Any", self.cfg).set(name, value)

    def load(self) -> Any:
        """Open the store and the publisher, and make the application. Runs in each worker, after the fork."""
        try:
            self._runtime = self._open()
        except StoreError as error:
            sys.stderr.write(f"mediaflow: MEDIAFLOW_STORE_URL: {error}\n")
            sys.exit(FleetArbiter.WORKER_BOOT_ERROR)
        self._runtime.start()
        return create_app(self._runtime)

    def _close(self) -> None:
        if self._runtime is not None:
            self._runtime.close()


def _write_problem(sock: socket.socket, status: int, reason: str, message: str) -> None:
    """Answer what gunicorn refuses before the application sees it; gunicorn itself would send a page of HTML."""
    body = render(of_status(status, reason), message or "The request can't be read as HTTP/1.1.", "")
    head = (
        f"HTTP/1.1 {status} {reason}\r\nConnection: close\r\nContent-Type: {CONTENT_TYPE}\r\n"
        f"Content-Length: {len(body)}\r\n\r\n"
    )
    gunicorn.util.write_nonblock(sock, head.encode("latin-1") + body)  # type: ignore[no-untyped-call]
