"""Everything that stands between the network and the pages, put together."""

from flask import Flask
from flask_wtf.csrf import CSRFProtect
from werkzeug.middleware.proxy_fix import ProxyFix

from console.access.ended_sessions import EndedSessions
from console.access.gate import Gate, add_gate
from console.access.headers import add_security_headers
from console.access.login import add_login_routes
from console.access.origins import is_loopback
from console.access.secret_key import signing_key
from console.access.sessions import Sessions, prepare_cookies
from console.access.tries import Tries
from console.settings import ConsoleSettings
from mq_common.errors import ConfigurationError


def check_access(settings: ConsoleSettings) -> None:
    """Raise ConfigurationError for a console that would be open to whoever reaches it, or that can't sign sessions."""
    if settings.state_dir is not None:
        signing_key(settings)
    if settings.password is not None:
        return
    if not is_loopback(settings.host):
        raise ConfigurationError(
            f"MEDIAFLOW_CONSOLE_PASSWORD: not set, but MEDIAFLOW_CONSOLE_HOST is {settings.host!r}: whoever reaches it "
            "could stop the fleet; set a password, or listen on 127.0.0.1"
        )
    if settings.trusted_hops:
        raise ConfigurationError(
            "MEDIAFLOW_CONSOLE_PASSWORD: not set, but MEDIAFLOW_CONSOLE_TRUSTED_HOPS is: whoever reaches the proxy "
            "could stop the fleet; set a password"
        )


def add_access(app: Flask, settings: ConsoleSettings) -> None:
    """Put sessions, tokens, the gate, the login and the headers in place. Raises ConfigurationError."""
    prepare_cookies(app, signing_key(settings))
    # A page may stay open on a wall for days: its token is good as long as the session.
    app.config.update(WTF_CSRF_CHECK_DEFAULT=False, WTF_CSRF_TIME_LIMIT=None)
    if hops := settings.trusted_hops:
        app.wsgi_app = ProxyFix(app.wsgi_app, x_for=hops, x_proto=hops, x_host=hops)  # type: ignore[method-assign]
    gate = Gate(
        password=settings.password.get_secret_value() if settings.password else None,
        sessions=Sessions(settings.session_hours * 3600, EndedSessions(settings.state_dir)),
        tries=Tries(),
        csrf=CSRFProtect(app),  # type: ignore[no-untyped-call]
    )
    add_gate(app, gate)
    add_login_routes(app, gate)
    add_security_headers(app)
