"""Every error becomes a problem: our own, Flask's, the store's, and those nobody expected."""

import structlog
from flask import Flask, Response, request
from werkzeug.exceptions import HTTPException, MethodNotAllowed, NotFound

from ingest import metrics
from ingest.answers import Answer
from ingest.problems import (
    CONTENT_TYPE,
    INTERNAL,
    KINDS,
    NO_SUCH_ADDRESS,
    WRONG_METHOD,
    Problem,
    of_status,
)
from ingest.store_problems import store_problem
from media_common.errors import ObjectNotFound, StoreError

log = structlog.get_logger()


def add_error_handlers(app: Flask) -> None:
    """Turn every exception that leaves a view into problem+json."""
    for kind in KINDS:  # what first appears with a 1 has never grown, for Prometheus
        metrics.REFUSALS.labels(kind.slug)

    def handle(error: Exception) -> Response:
        if isinstance(error, HTTPException) and (error.response is not None or (error.code or 500) < 400):
            return error.get_response()  # type: ignore[return-value]
        return answer_error(error, request.method, request.path).to_response()

    app.register_error_handler(Exception, handle)
    app.register_error_handler(HTTPException, handle)


def answer_error(error: Exception, method: str, path: str) -> Answer:
    """Give the problem that the error is, counted and logged."""
    problem = _problem_of(error)
    kind = problem.kind
    metrics.REFUSALS.labels(kind.slug).inc()
    refused = {"method": method, "path": path, "status": kind.status, "problem": kind.slug, "detail": problem.detail}
    if kind is INTERNAL:
        log.error("request_failed", error=repr(error), exc_info=error, **refused)
    elif kind.status >= 500:
        log.warning("request_refused", **refused)
    else:
        log.info("request_refused", **refused)
    return Answer(kind.status, problem.body(path), CONTENT_TYPE, problem.response_headers())


def _problem_of(error: Exception) -> Problem:
    if isinstance(error, Problem):
        return error
    # What we look for and do not find is None; an object that is missed in the middle of something is a broken store.
    if isinstance(error, (StoreError, ObjectNotFound)):
        return store_problem(error)
    if isinstance(error, HTTPException):
        return _of_flask(error)
    return Problem(INTERNAL, "An unexpected error; the service's log has the reason. Trying again may help.")


def _of_flask(error: HTTPException) -> Problem:
    if isinstance(error, NotFound):
        return Problem(NO_SUCH_ADDRESS, "GET /docs for the addresses there are.")
    if isinstance(error, MethodNotAllowed):
        allowed = ", ".join(sorted(error.valid_methods or ()))
        return Problem(WRONG_METHOD, f"This address takes {allowed}.", headers={"Allow": allowed})
    return Problem(of_status(error.code or 500, error.name), error.description or error.name)
