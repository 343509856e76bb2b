"""Errors as RFC 9457 problem details: what is wrong, and what the client can do about it."""

from mq_common.problem_details import CONTENT_TYPE, TYPE_PREFIX, Kind, Problem, render

__all__ = ["CONTENT_TYPE", "KINDS", "TYPE_PREFIX", "Kind", "Problem", "of_status", "render"]

MALFORMED = Kind("malformed-request", 400, "The request can't be read")
EMPTY_UPLOAD = Kind("empty-upload", 400, "The upload has no content")
BROKEN_OFF = Kind("upload-broken-off", 400, "The upload ended too early")
SIMULATION_OFF = Kind("simulation-not-allowed", 403, "Simulated assets are not allowed here")
CROSS_SITE = Kind("cross-site-request", 403, "Other web sites may not upload")
NO_SUCH_ADDRESS = Kind("not-found", 404, "There is nothing at this address")
NO_SUCH_ASSET = Kind("asset-not-found", 404, "There is no such asset")
NO_SUCH_OUTPUT = Kind("output-not-found", 404, "There is no such output")
WRONG_METHOD = Kind("method-not-allowed", 405, "This address does not take that method")
STALLED = Kind("upload-stalled", 408, "The upload stopped moving")
ASSET_CONFLICT = Kind("asset-conflict", 409, "The asset exists with other content")
TOO_LARGE = Kind("too-large", 413, "The upload is too large")
NOT_MEDIA = Kind("not-media", 415, "This content type is not accepted")
BAD_RANGE = Kind("range-not-satisfiable", 416, "The file has no such range")
INVALID = Kind("invalid-fields", 422, "Some fields are not valid")
KEY_REUSED = Kind("idempotency-key-reused", 422, "The idempotency key was used for another upload")
OVER_CAPACITY = Kind("over-capacity", 429, "The channels' queues are full or nearly so", 60)
INTERNAL = Kind("internal-error", 500, "Something went wrong here")
BROKER_UNAVAILABLE = Kind("broker-unavailable", 503, "The message broker can't be used now", 5)
UNROUTABLE = Kind("unroutable", 503, "No channel takes uploads", 30)
REFUSED_BY_BROKER = Kind("refused-by-broker", 503, "A channel's queue is full", 10)
UNCONFIRMED = Kind("not-confirmed", 503, "The broker did not confirm in time", 5)
OUTBOX_FULL = Kind("outbox-full", 503, "Too many uploads wait for the message broker", 30)
TOO_BUSY = Kind("too-many-uploads", 503, "Too many uploads at once", 5)
STORE_UNAVAILABLE = Kind("store-unavailable", 503, "The object store can't be used now", 5)
STORE_FULL = Kind("store-full", 507, "The object store is full", 60)

#: Every kind there is, for the API description.
KINDS: tuple[Kind, ...] = tuple(value for value in list(globals().values()) if isinstance(value, Kind))


def of_status(status: int, title: str) -> Kind:
    """Give the kind of an error that Flask or gunicorn found: by its status alone."""
    known = {kind.status: kind for kind in (MALFORMED, NO_SUCH_ADDRESS, WRONG_METHOD, TOO_LARGE, NOT_MEDIA, INTERNAL)}
    return known.get(status) or Kind(title.lower().replace(" ", "-"), status, title)
