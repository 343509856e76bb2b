"""What every request passes before anything else: whose it is, and whether it may."""

from base64 import b64decode
from dataclasses import dataclass

import structlog
from flask import Flask, Response, g, redirect, request, url_for
from flask_babel import gettext as _
from flask_wtf.csrf import CSRFProtect

from console.access.operator import LOCAL, clean_name
from console.access.origins import SAFE_METHODS, host_of, is_loopback, is_of_browser, is_of_other_site
from console.access.password import is_password
from console.access.sessions import Sessions
from console.access.tries import Tries
from console.error_answers import wants_page
from console.problems import CROSS_SITE, LOGIN_NEEDED, NOT_JSON, TOO_MANY_TRIES, WRONG_HOST, Problem

log = structlog.get_logger()

#: Asked by machines, which hold no password; they tell nothing about the fleet's contents.
_PROBES = frozenset({"healthz", "readyz"})
_OPEN = _PROBES | {"static", "login", "scrape", "preferences"}


@dataclass(frozen=True)
class Gate:
    """The rules of one console. ``password``: None on loopback, where whoever works on the machine may come in."""

    password: str | None
    sessions: Sessions
    tries: Tries
    csrf: CSRFProtect

    def check(self) -> Response | None:
        """Let the request pass (None), send its browser to the login, or raise Problem."""
        if request.endpoint in _PROBES:
            return None
        if self.password is None and not is_loopback(host_of(request.host)):
            raise Problem(WRONG_HOST, _("Without a password the console answers to localhost only."))
        if is_of_other_site(request.method, dict(request.headers), request.host_url.rstrip("/")):
            raise Problem(CROSS_SITE, _("Open the console itself and do it there."))
        operator, program = self._who()
        if operator is None and request.endpoint not in _OPEN:
            return self._to_login()
        g.operator = operator or LOCAL
        g.logged_in = self.password is not None and operator is not None
        if request.method not in SAFE_METHODS:
            self._check_change(program=program)
        return None

    def _who(self) -> tuple[str | None, bool]:
        """Give the operator's name, None for nobody, and whether a program asks in it."""
        if self.password is None:
            return LOCAL, not is_of_browser(dict(request.headers))
        if request.headers.get("Authorization", "").lower().startswith("basic "):
            return self._of_basic(request.headers["Authorization"], self.password), True
        return self.sessions.operator(), False

    def _of_basic(self, header: str, password: str) -> str:
        self.refuse_when_tried_too_often()
        try:
            name, colon, given = b64decode(header.split(None, 1)[1], validate=True).decode().partition(":")
        except (ValueError, IndexError):
            name, colon, given = "", "", ""
        if not colon or not is_password(given, password):
            self.note_wrong_password(name)
            raise self._login_needed(_("The password is wrong."))
        return clean_name(name) or "program"

    def _check_change(self, *, program: bool) -> None:
        """Raise for a change that a page of another site may have caused."""
        if not program:
            self.csrf.protect()  # type: ignore[no-untyped-call]
        elif request.mimetype != "application/json":
            raise Problem(NOT_JSON, _("Send the header Content-Type: application/json."))

    def _to_login(self) -> Response:
        if wants_page():
            wanted = request.full_path if request.query_string else request.path
            return redirect(url_for("login", next=wanted if request.method == "GET" else "/"))  # type: ignore[return-value]
        raise self._login_needed(_("Log in at /login; programs send the password by HTTP Basic, with any name."))

    def _login_needed(self, detail: str) -> Problem:
        # A browser would put a window of its own before the page.
        challenge = {} if is_of_browser(dict(request.headers)) else {"WWW-Authenticate": 'Basic realm="Mediaflow"'}
        return Problem(LOGIN_NEEDED, detail, headers=challenge)

    def refuse_when_tried_too_often(self) -> None:
        """Raise Problem 429 when this address has tried too many wrong passwords."""
        if wait_s := self.tries.wait_s(request.remote_addr or ""):
            headers = {"Retry-After": str(wait_s)}
            raise Problem(
                TOO_MANY_TRIES,
                _("Too many wrong passwords. Try again in %(seconds)s s.", seconds=wait_s),
                headers=headers,
            )

    def note_wrong_password(self, name: str) -> None:
        """Count it, and write it down."""
        self.tries.failed(request.remote_addr or "")
        log.warning("login_failed", who=clean_name(name), address=request.remote_addr)


def add_gate(app: Flask, gate: Gate) -> None:
    """Put the gate in front of everything."""
    app.before_request(gate.check)
