"""What all pages share: language, theme, navigation, and the token that changes need."""

from dataclasses import dataclass
from typing import Any

from flask import Flask, Response, g, redirect, render_template, request
from flask_babel import Babel, get_locale, lazy_gettext
from flask_babel.speaklater import LazyString

from console.access.origins import same_site_path

LANGUAGES = {"en": "English", "tr": "Türkçe"}
THEMES = ("auto", "light", "dark")

#: Seconds that a browser remembers a choice of theme or language: a year.
_REMEMBERED_S = 365 * 24 * 3600


@dataclass(frozen=True, slots=True)
class Area:
    """An entry of the navigation."""

    name: str
    address: str
    title: LazyString
    icon: str


AREAS = (
    Area("fleet", "/", lazy_gettext("Fleet"), "fleet"),
    Area("assets", "/assets", lazy_gettext("Assets"), "assets"),
    Area("dead_letters", "/dead-letters", lazy_gettext("Dead letters"), "letters"),
    Area("simulator", "/simulator", lazy_gettext("Simulator"), "simulator"),
    Area("planner", "/planner", lazy_gettext("Planner"), "planner"),
)


def prepare_pages(app: Flask) -> None:
    """Set up languages, and what every template may use."""
    app.jinja_env.trim_blocks = app.jinja_env.lstrip_blocks = True
    Babel(app, locale_selector=choose_language)  # type: ignore[no-untyped-call]

    @app.post("/preferences")
    def preferences() -> Response:
        answer = redirect(same_site_path(request.form.get("next", "/")))
        for name, allowed in (("theme", THEMES), ("language", tuple(LANGUAGES))):
            if request.form.get(name) in allowed:
                answer.set_cookie(name, request.form[name], max_age=_REMEMBERED_S, samesite="Lax")
        return answer  # type: ignore[return-value]


def render_page(template: str, *, area: str, closed: bool = False, **values: Any) -> str:
    """Render a page. ``area``: the entry of the navigation it belongs to, empty for none; ``closed``: without one."""
    theme = request.cookies.get("theme", "auto")
    return render_template(
        template,
        area=area,
        areas=() if closed else AREAS,
        languages=LANGUAGES,
        language=str(get_locale() or "en"),
        theme=theme if theme in THEMES else "auto",
        operator=g.operator if g.get("logged_in") else "",
        wall=request.args.get("wall") == "1",
        **values,
    )


def choose_language() -> str:
    """Give the language that was switched to, else the browser's first that there is, else English."""
    chosen = request.cookies.get("language")
    return chosen if chosen in LANGUAGES else request.accept_languages.best_match(list(LANGUAGES), "en")
