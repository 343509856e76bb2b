"""/healthz, /readyz and /metrics."""

import threading
import time

import orjson
from flask import Flask, Response

from ingest import metrics
from ingest.outbox import Outbox
from ingest.runtime import Runtime
from media_common.errors import StoreError

#: Seconds for which the store's state is remembered: probes come from several sides at once.
_REMEMBER_S = 1.0


def add_probe_routes(app: Flask, runtime: Runtime) -> None:
    """Add the routes for those who watch over this process."""
    store = _StoreProbe(runtime)

    @app.get("/healthz")
    def healthz() -> Response:
        return _json({"status": "ok"}, 200)

    @app.get("/readyz")
    def readyz() -> Response:
        broker = "ok" if runtime.publisher.ready else "not reachable, or holding publishers back (memory or disk alarm)"
        parts = {"broker": broker, "store": store.state(), "outbox": _outbox_state(runtime.outbox)}
        # While uploads may wait for the broker, a pod without it serves as well as any other.
        needed = ("store",) if parts["outbox"] == "ok" else ("store", "broker")
        ready = all(parts[name] == "ok" for name in needed)
        return _json({"status": "ok" if ready else "unavailable", **parts}, 200 if ready else 503)

    @app.get("/metrics")
    def scrape() -> Response:
        text, content_type = metrics.exposition()
        return Response(text, content_type=content_type, headers={"Cache-Control": "no-store"})


def _outbox_state(outbox: Outbox) -> str:
    if not outbox.accepts:
        return "off"
    return "full" if outbox.full else "ok"


class _StoreProbe:
    def __init__(self, runtime: Runtime) -> None:
        self._store = runtime.store
        self._lock = threading.Lock()
        self._state = ""
        self._until = 0.0

    def state(self) -> str:
        with self._lock:
            if time.monotonic() >= self._until:
                try:
                    self._store.check()
                    self._state = "ok"
                except StoreError as error:
                    self._state = str(error)
                self._until = time.monotonic() + _REMEMBER_S
            return self._state


def _json(answer: dict[str, str], status: int) -> Response:
    return Response(
        orjson.dumps(answer) + b"\n", status, {"Cache-Control": "no-store"}, content_type="application/json"
    )
