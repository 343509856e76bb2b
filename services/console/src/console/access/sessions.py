"""Sessions of people who logged in: a signed cookie that says who, and until when."""

import secrets
import time

from flask import Flask, request, session
from flask.sessions import SecureCookieSessionInterface

from console.access.ended_sessions import EndedSessions

COOKIE = "mediaflow_console"


class ConsoleCookie(SecureCookieSessionInterface):
    """Flask's own signed cookie, kept from plain connections where the page came over HTTPS."""

    def get_cookie_secure(self, app: Flask) -> bool:
        """Whether the browser may send the cookie over HTTPS only."""
        return request.is_secure


def prepare_cookies(app: Flask, key: bytes) -> None:
    """Sign sessions with ``key``; no script may read the cookie, and no other site's request brings it along."""
    app.secret_key = key
    app.session_interface = ConsoleCookie()
    app.config.update(
        SESSION_COOKIE_NAME=COOKIE,
        SESSION_COOKIE_HTTPONLY=True,
        SESSION_COOKIE_SAMESITE="Lax",
        SESSION_REFRESH_EACH_REQUEST=False,
    )


class Sessions:
    """Begins and ends the session of the request's browser. ``lifetime_s``: seconds from login to the next one."""

    def __init__(self, lifetime_s: float, ended: EndedSessions) -> None:
        self._lifetime_s = lifetime_s
        self._ended = ended

    def begin(self, operator: str) -> None:
        """Log the browser in under a name; nothing of an earlier session is kept."""
        session.clear()
        session["operator"] = operator
        session["id"] = secrets.token_urlsafe(12)
        session["until"] = int(time.time() + self._lifetime_s)

    def operator(self) -> str | None:
        """Give the name of who is logged in; None where nobody is, any more."""
        name, number, until = (session.get(key) for key in ("operator", "id", "until"))
        if not name or not number or not isinstance(until, int) or until <= time.time():
            return None
        return None if self._ended.has(number) else str(name)

    def end(self) -> None:
        """Log the browser out; a copy of its cookie is worth nothing afterwards."""
        if number := session.get("id"):
            self._ended.add(str(number), int(session.get("until", 0)))
        session.clear()
