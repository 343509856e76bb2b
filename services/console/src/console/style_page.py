"""``/style``: every part that pages are made of, to be looked at in both themes and all sizes."""

from flask import Flask

from console.channel_marks import MARKS
from console.pages import render_page


def add_style_routes(app: Flask) -> None:
    """Add the page."""

    @app.get("/style")
    def style() -> str:
        return render_page("style.html", area="", marks=range(1, MARKS + 1))
