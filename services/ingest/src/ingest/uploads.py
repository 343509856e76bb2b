"""POST /media/upload and POST /media/burst."""

import time
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any

import orjson
import structlog
from flask import Flask, Response, request

from ingest import metrics
from ingest.acceptance import Acceptance, announce
from ingest.answers import Answer
from ingest.bodies import RequestBody
from ingest.content_types import BodyForm, bare_type, body_form
from ingest.error_answers import answer_error
from ingest.file_uploads import take_multipart, take_raw
from ingest.idempotency import key_of_header
from ingest.problems import CROSS_SITE, NOT_MEDIA, Problem
from ingest.runtime import Runtime
from ingest.simulation import run_burst, take_json
from ingest.traces import next_traceparent
from mq_common.events import MediaEvent
from mq_common.web_process import StartResponse, announcing_close

log = structlog.get_logger()

Environ = Mapping[str, Any]

UPLOAD_PATH = "/media/upload"

_ACCEPTED = 202


class Uploads:
    """WSGI: takes uploads by itself and leaves everything else to the Flask application.

    Flask's dispatch of a request costs as much as the rest of a JSON upload, so the one route that carries the load
    goes without it. The application knows the routes too, for 405 and OPTIONS.
    """

    def __init__(self, app: Flask, runtime: Runtime) -> None:
        self.flask = app
        self._takers = {
            UPLOAD_PATH: partial(answer_upload, runtime),
            "/media/burst": partial(answer_burst, runtime),
        }
        for path, take in self._takers.items():
            app.add_url_rule(path, path, self._view(take), methods=["POST"])

    def __call__(self, environ: Environ, start_response: StartResponse) -> Iterable[bytes]:
        """Answer the request."""
        start_response = announcing_close(start_response)
        path = environ["PATH_INFO"]
        take = self._takers.get(path) if environ["REQUEST_METHOD"] == "POST" else None
        if take is None:
            return self.flask(environ, start_response)  # type: ignore[arg-type]
        try:
            answer = take(environ)
        except Exception as error:
            answer = answer_error(error, "POST", path)
        return answer.send(start_response)

    @staticmethod
    def _view(take: Callable[[Environ], Answer]) -> Callable[[], Response]:
        return lambda: take(request.environ).to_response()


def answer_upload(runtime: Runtime, environ: Environ) -> Answer:
    """Take an upload in whichever form it comes: 202 once it is stored and its event confirmed or in the outbox."""
    started = time.perf_counter()
    form = body_form(bare_type(environ.get("CONTENT_TYPE")))
    _refuse_cross_site(environ)
    if "HTTP_CONTENT_ENCODING" in environ:
        raise Problem(NOT_MEDIA, "Send the file as it is, without Content-Encoding.")
    key = key_of_header(environ.get("HTTP_IDEMPOTENCY_KEY"))
    traceparent = next_traceparent(environ.get("HTTP_TRACEPARENT"))
    body = RequestBody(environ, runtime.settings.read_timeout_s)
    try:
        if form is BodyForm.JSON:
            registered = take_json(runtime, body, key)
        elif form is BodyForm.RAW:
            registered = take_raw(runtime, environ, body, key)
        else:
            registered = take_multipart(runtime, environ, body, key)
    except Exception:
        body.discard()
        raise
    status = announce(runtime, registered, traceparent)
    return accepted(registered.event, form.value, body.received, started, traceparent, status=status)


def accepted(
    event: MediaEvent, form: str, size: int, started: float, traceparent: str, *, status: Acceptance
) -> Answer:
    """Give the answer 202 of an upload that is stored and confirmed, or safe in the outbox, counted and logged.

    ``size`` is that of the request's body in bytes, ``started`` the `time.perf_counter` of its beginning in seconds.
    """
    seconds = time.perf_counter() - started
    metrics.upload_accepted(form, size, seconds)
    log.info(
        "upload_accepted",
        event_id=event.event_id,
        asset_id=event.asset_id,
        status=status,
        form=form,
        size=event.source.size if event.source else None,
        seconds=round(seconds, 4),
        trace_id=traceparent[3:35],
    )
    return Answer(
        _ACCEPTED,
        orjson.dumps({"eventId": event.event_id, "assetId": event.asset_id, "status": status}),
        headers={"Location": f"/media/{event.asset_id}"},
    )


def answer_burst(runtime: Runtime, environ: Environ) -> Answer:
    """Publish simulated load. The body is JSON whatever its Content-Type says: curl -d '{"count": 2000}' is enough."""
    _refuse_cross_site(environ)
    body = RequestBody(environ, runtime.settings.read_timeout_s)
    try:
        report = run_burst(runtime, body, next_traceparent(environ.get("HTTP_TRACEPARENT")))
    except Exception:
        body.discard()
        raise
    return Answer(_ACCEPTED, orjson.dumps(report.model_dump(by_alias=True)))


def _refuse_cross_site(environ: Environ) -> None:
    """Raise Problem 403 when a browser says that another site's page sends this (Fetch Metadata)."""
    if environ.get("HTTP_SEC_FETCH_SITE") == "cross-site":
        raise Problem(CROSS_SITE, "A page of another site can't upload here; open this service's own address.")
