"""The page ``/assets``."""

from flask import Flask

from console.pages import render_page
from console.runtime import Runtime


def add_assets_routes(app: Flask, runtime: Runtime) -> None:
    """Add the page."""

    @app.get("/assets")
    def assets() -> str:
        return render_page("assets.html", area="assets")
