"""/healthz, /readyz and /metrics."""

import orjson
from flask import Flask, Response
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest

from console.runtime import Runtime


def add_probe_routes(app: Flask, runtime: Runtime) -> None:
    """Add the routes for those who watch over this process."""

    @app.get("/healthz")
    def healthz() -> Response:
        return _json({"status": "ok"}, 200)

    @app.get("/readyz")
    def readyz() -> Response:
        # A console whose broker or store is away says so on its pages: it is where people look then.
        return _json({"status": "ok"}, 200)

    @app.get("/metrics")
    def scrape() -> Response:
        return Response(generate_latest(), content_type=CONTENT_TYPE_LATEST, headers={"Cache-Control": "no-store"})


def _json(answer: dict[str, str], status: int) -> Response:
    body = orjson.dumps(answer) + b"\n"
    return Response(body, status, {"Cache-Control": "no-store"}, content_type="application/json")
