"""The page ``/planner``."""

from flask import Flask

from console.pages import render_page
from console.runtime import Runtime


def add_planner_routes(app: Flask, runtime: Runtime) -> None:
    """Add the page."""

    @app.get("/planner")
    def planner() -> str:
        return render_page("planner.html", area="planner")
