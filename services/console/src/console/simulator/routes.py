"""The page ``/simulator``."""

from flask import Flask

from console.pages import render_page
from console.runtime import Runtime


def add_simulator_routes(app: Flask, runtime: Runtime) -> None:
    """Add the page."""

    @app.get("/simulator")
    def simulator() -> str:
        return render_page("simulator.html", area="simulator")
