"""The page ``/dead-letters``."""

from flask import Flask

from console.pages import render_page
from console.runtime import Runtime


def add_dead_letters_routes(app: Flask, runtime: Runtime) -> None:
    """Add the page."""

    @app.get("/dead-letters")
    def dead_letters() -> str:
        return render_page("dead_letters.html", area="dead_letters")
