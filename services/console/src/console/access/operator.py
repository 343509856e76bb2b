"""Who acts: the name in the audit."""

from flask import has_request_context, session

#: The name of whoever works on the machine itself, where no login is asked for.
LOCAL = "local"


def operator_name() -> str:
    """Give the name that the request's actions are written down under."""
    return str(session.get("operator") or LOCAL) if has_request_context() else LOCAL
