"""The page ``/history`` and ``GET /admin/audit``: what was done through the consoles of this store."""

from dataclasses import asdict

from flask import Flask, Response, jsonify

from console.pages import render_page
from console.runtime import Runtime


def add_history_routes(app: Flask, runtime: Runtime) -> None:
    """Add both."""

    @app.get("/history")
    def history() -> str:
        return render_page("history.html", area="fleet", entries=runtime.audit.last())

    @app.get("/admin/audit")
    def audit() -> Response:
        return jsonify(entries=[asdict(each) for each in runtime.audit.last()])
