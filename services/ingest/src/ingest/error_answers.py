"""Every error becomes a problem: our own, Flask's, the store's, and those nobody expected."""

import structlog
from flask import Flask, Response, request
from werkzeug.exceptions import HTTPException, MethodNotAllowed, NotFound

from ingest import metrics
from ingest.problems import (
    CONTENT_TYPE,
    INTERNAL,
    NO_SUCH_ADDRESS,
    STORE_FULL,
    STORE_UNAVAILABLE,
    WRONG_METHOD,
    Problem,
    of_status,
)
from media_common.errors import StoreError, StoreFull

log = structlog.get_logger()


def add_error_handlers(app: Flask) -> None:
    """Turn every exception that leaves a view into problem+json."""
    app.register_error_handler(Problem, answer)
    app.register_error_handler(StoreError, lambda error: answer(of_store(error)))
    app.register_error_handler(HTTPException, _of_flask)
    app.register_error_handler(Exception, _unexpected)


def answer(problem: Problem) -> Response:
    """Answer with the problem, count it and log it."""
    kind = problem.kind
    metrics.REFUSALS.labels(kind.slug).inc()
    write = log.warning if kind.status >= 500 else log.info
    write(
        "request_refused",
        method=request.method,
        path=request.path,
        status=kind.status,
        problem=kind.slug,
        detail=problem.detail,
    )
    return Response(problem.body(request.path), kind.status, problem.response_headers(), content_type=CONTENT_TYPE)


def of_store(error: StoreError) -> Problem:
    """Give the problem that a failing store is."""
    if isinstance(error, StoreFull):
        return Problem(STORE_FULL, f"{error} Nothing was accepted; free some room and send it again.")
    return Problem(STORE_UNAVAILABLE, f"{error} Nothing was accepted; send it again later.")


def _of_flask(error: HTTPException) -> Response:
    if error.response is not None or (error.code or 500) < 400:  # redirects
        return error.get_response()  # type: ignore[return-value]
    if isinstance(error, NotFound):
        return answer(Problem(NO_SUCH_ADDRESS, "GET /docs for the addresses there are."))
    if isinstance(error, MethodNotAllowed):
        allowed = ", ".join(sorted(error.valid_methods or ()))
        return answer(Problem(WRONG_METHOD, f"This address takes {allowed}.", headers={"Allow": allowed}))
    return answer(Problem(of_status(error.code or 500, error.name), error.description or error.name))


def _unexpected(error: Exception) -> Response:
    log.exception("request_failed", method=request.method, path=request.path, error=repr(error))
    return answer(Problem(INTERNAL, "An unexpected error; the service's log has the reason. Trying again may help."))
