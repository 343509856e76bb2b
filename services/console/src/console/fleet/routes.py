"""The page ``/``."""

from flask import Flask

from console.pages import render_page
from console.runtime import Runtime


def add_fleet_routes(app: Flask, runtime: Runtime) -> None:
    """Add the page."""

    @app.get("/")
    def fleet() -> str:
        return render_page("fleet.html", area="fleet")
