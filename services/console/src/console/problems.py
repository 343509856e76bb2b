"""Errors as RFC 9457 problem details: what is wrong, and what the operator can do about it."""

from flask_babel import lazy_gettext as _

from mq_common.problem_details import CONTENT_TYPE, TYPE_PREFIX, Kind, Problem

__all__ = ["CONTENT_TYPE", "TYPE_PREFIX", "Kind", "Problem", "of_status"]

MALFORMED = Kind("malformed-request", 400, _("The request can't be read"))
FORM_EXPIRED = Kind("csrf-token", 400, _("The page is too old, or the request did not come from it"))
LOGIN_NEEDED = Kind("login-needed", 401, _("Log in first"))
WRONG_HOST = Kind("wrong-host", 403, _("The console does not answer under this name"))
CROSS_SITE = Kind("cross-site-request", 403, _("Other web sites may not do this"))
NO_SUCH_ADDRESS = Kind("not-found", 404, _("There is nothing at this address"))
NO_SUCH_CHANNEL = Kind("channel-not-found", 404, _("There is no such channel"))
WRONG_METHOD = Kind("method-not-allowed", 405, _("This address does not take that method"))
REFUSED = Kind("refused", 409, _("This can't be done now"))
TOO_LARGE = Kind("too-large", 413, _("The request is too large"))
NOT_JSON = Kind("not-json", 415, _("Changes are sent as JSON"))
INVALID = Kind("invalid-fields", 422, _("Some fields are not valid"))
TOO_MANY_TRIES = Kind("too-many-tries", 429, _("Too many tries"), 60)
INTERNAL = Kind("internal-error", 500, _("Something went wrong here"))
BROKER_UNAVAILABLE = Kind("broker-unavailable", 503, _("The message broker can't be used now"), 5)
FLEET_UNAVAILABLE = Kind("fleet-unavailable", 503, _("The fleet can't be reached now"), 5)
INGEST_UNAVAILABLE = Kind("ingest-unavailable", 503, _("The upload service can't be reached now"), 5)
STORE_UNAVAILABLE = Kind("store-unavailable", 503, _("The object store can't be used now"), 5)
TOO_BUSY = Kind("too-busy", 503, _("Too much is asked at the same time"), 5)
TOO_MANY_VIEWERS = Kind("too-many-viewers", 503, _("Too many live views are open"), 10)


def of_status(status: int, title: str) -> Kind:
    """Give the kind of an error that Flask found: by its status alone."""
    known = {kind.status: kind for kind in (MALFORMED, NO_SUCH_ADDRESS, WRONG_METHOD, TOO_LARGE, NOT_JSON, INTERNAL)}
    return known.get(status) or Kind(title.lower().replace(" ", "-"), status, title)
