"""Who acts: the name in the audit."""

from flask import g, has_request_context

#: The name of whoever works on the machine itself, where no login is asked for.
LOCAL = "local"

#: Letters of a name.
_LONGEST = 64


def operator_name() -> str:
    """Give the name that the request's actions are written down under."""
    return str(g.get("operator", LOCAL)) if has_request_context() else LOCAL


def clean_name(text: str) -> str:
    r"""Give a name as it is shown and logged: one line, not too long.

    >>> clean_name("  Ada\n Lovelace ")
    'Ada Lovelace'
    """
    return " ".join("".join(each if each.isprintable() else " " for each in text).split())[:_LONGEST]
