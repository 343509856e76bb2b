"""The pages by which people come in and leave."""

import structlog
from flask import Flask, Response, g, make_response, redirect, request
from flask_babel import gettext as _

from console.access.gate import Gate
from console.access.operator import clean_name
from console.access.origins import same_site_path
from console.access.password import is_password
from console.pages import render_page

log = structlog.get_logger()


def add_login_routes(app: Flask, gate: Gate) -> None:
    """Add ``/login`` and ``/logout``."""

    @app.route("/login", methods=["GET", "POST"])
    def login() -> Response:
        wanted = same_site_path(request.values.get("next", "/"))
        if gate.password is None or g.logged_in:
            return redirect(wanted)  # type: ignore[return-value]
        if request.method == "GET":
            return _form(wanted)
        gate.refuse_when_tried_too_often()
        name = clean_name(request.form.get("name", ""))
        if not is_password(request.form.get("password", ""), gate.password):
            gate.note_wrong_password(name)
            return _form(wanted, name=name, wrong="password", message=_("This is not the password."))
        if not name:
            return _form(wanted, wrong="name", message=_("Say who you are: your actions are written down by name."))
        gate.sessions.begin(name)
        log.info("operator_logged_in", who=name, address=request.remote_addr)
        return redirect(wanted, 303)  # type: ignore[return-value]

    @app.post("/logout")
    def logout() -> Response:
        gate.sessions.end()
        log.info("operator_logged_out", who=g.operator)
        return redirect("/login", 303)  # type: ignore[return-value]


def _form(wanted: str, *, name: str = "", wrong: str = "", message: str = "") -> Response:
    page = render_page("login.html", area="", closed=True, wanted=wanted, name=name, wrong=wrong, message=message)
    return make_response(page, 401 if wrong == "password" else 422 if wrong else 200)
