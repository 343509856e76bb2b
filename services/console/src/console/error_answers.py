"""Every error becomes a problem for programs and a page for people."""

import structlog
from flask import Flask, Response, make_response, request
from flask_babel import gettext as _
from flask_wtf.csrf import CSRFError
from werkzeug.exceptions import HTTPException, MethodNotAllowed, NotFound

from console.pages import render_page
from console.problems import (
    CONTENT_TYPE,
    FORM_EXPIRED,
    INTERNAL,
    NO_SUCH_ADDRESS,
    STORE_UNAVAILABLE,
    WRONG_METHOD,
    Problem,
    of_status,
)
from media_common.errors import ObjectNotFound, StoreError

log = structlog.get_logger()


def add_error_handlers(app: Flask) -> None:
    """Turn every exception that leaves a view into problem+json, or into a page."""

    def handle(error: Exception) -> Response:
        if isinstance(error, HTTPException) and (error.response is not None or (error.code or 500) < 400):
            return error.get_response()  # type: ignore[return-value]
        problem = problem_of(error)
        _write_down(problem, error)
        return _page(problem) if wants_page() else problem_response(problem)

    app.register_error_handler(Exception, handle)
    app.register_error_handler(HTTPException, handle)


def problem_response(problem: Problem) -> Response:
    """Give the problem as JSON."""
    body, headers = problem.body(request.path), problem.response_headers()
    return Response(body, problem.kind.status, headers, content_type=CONTENT_TYPE)


def wants_page() -> bool:
    """Whether the request came from somebody who looks at pages."""
    return not request.path.startswith("/admin") and "text/html" in request.accept_mimetypes.values()


def problem_of(error: Exception) -> Problem:
    """Give the problem that an exception is."""
    if isinstance(error, Problem):
        return error
    if isinstance(error, (StoreError, ObjectNotFound)):
        return Problem(STORE_UNAVAILABLE, _("%(error)s. Trying again may help.", error=error))
    if isinstance(error, HTTPException):
        return _of_flask(error)
    return Problem(INTERNAL, _("An unexpected error; the console's log has the reason. Trying again may help."))


def _of_flask(error: HTTPException) -> Problem:
    if isinstance(error, CSRFError):
        return Problem(FORM_EXPIRED, _("Load the page again and repeat what you did."))
    if isinstance(error, NotFound):
        return Problem(NO_SUCH_ADDRESS, _("The address may be mistyped, or what it named is gone."))
    if isinstance(error, MethodNotAllowed):
        allowed = ", ".join(sorted(error.valid_methods or ()))
        return Problem(WRONG_METHOD, _("This address takes %(methods)s.", methods=allowed), headers={"Allow": allowed})
    return Problem(of_status(error.code or 500, error.name), error.description or error.name)


def _page(problem: Problem) -> Response:
    page = render_page("problem.html", area="", problem=problem)
    return make_response(page, problem.kind.status, problem.response_headers())


def _write_down(problem: Problem, error: Exception) -> None:
    kind = problem.kind
    refused = {"method": request.method, "path": request.path, "status": kind.status, "problem": kind.slug}
    if kind is INTERNAL:
        log.error("request_failed", error=repr(error), exc_info=error, **refused)
    elif kind.status >= 500:
        log.warning("request_refused", detail=problem.detail, **refused)
    else:
        log.info("request_refused", detail=problem.detail, **refused)
