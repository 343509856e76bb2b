"""GET /media/<assetId>/source and /media/<assetId>/<channel>/<file>: the bytes, with ranges, typed, never as a page."""

import hashlib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from flask import Flask, Response, redirect, request
from werkzeug.http import http_date, is_resource_modified

from ingest.asset_states import find_asset
from ingest.content_types import GENERIC
from ingest.file_names import attachment_disposition
from ingest.page_headers import OUTPUT_HEADERS
from ingest.problems import BAD_RANGE, NO_SUCH_OUTPUT, Problem
from ingest.published import PublishedNames
from ingest.ranges import Span, Unsatisfiable, range_applies, wanted_span
from ingest.runtime import Runtime
from media_common import layout
from media_common.content_types import content_type_of
from media_common.hls import MASTER
from media_common.store import ObjectInfo

#: These name their neighbours by relative address, so they can't be moved to a signed one.
_RELATIVE = (".m3u8", ".vtt")

#: Outputs never change once their channel is done, but for the playlist that grows with later channels.
_SETTLED, _CHANGING = "public, max-age=3600", "no-cache"

#: Seconds in which a client must take the next bytes of an answer.
_SEND_STALL_S = 60.0


def add_output_routes(app: Flask, runtime: Runtime) -> None:
    """Add the routes that serve files."""
    published = PublishedNames(runtime.store)

    @app.get("/media/<asset_id>/source")
    def source(asset_id: str) -> Response:
        return _serve_source(runtime, asset_id)

    @app.get("/media/<asset_id>/<channel>/<path:name>")
    def output(asset_id: str, channel: str, name: str) -> Response:
        if not published.has(asset_id, channel, name):
            raise _no_output()
        return _serve_output(runtime, layout.output_key(asset_id, channel, name), name)


def _serve_output(runtime: Runtime, key: str, name: str) -> Response:
    signed = None
    if request.method == "GET" and runtime.settings.serve_outputs == "redirect" and not name.endswith(_RELATIVE):
        signed = runtime.store.signed_url(key, runtime.settings.signed_url_s)
    if signed is not None:
        answer = redirect(signed, 307)
        answer.headers["Cache-Control"] = f"private, max-age={runtime.settings.signed_url_s // 2}"
        return answer  # type: ignore[return-value]
    caching = _CHANGING if name.endswith(MASTER) else _SETTLED
    return _serve(runtime, key, {"Content-Type": content_type_of(name), "Cache-Control": caching})


def _serve_source(runtime: Runtime, asset_id: str) -> Response:
    event = find_asset(runtime, asset_id)
    if event.source is None:
        raise Problem(NO_SUCH_OUTPUT, "This asset is simulated: it has no file.")
    content_type = event.source.content_type
    headers = {
        "Content-Type": content_type if content_type.startswith(("video/", "audio/")) else GENERIC,
        "Content-Disposition": attachment_disposition(event.source.file_name or asset_id),
        "Cache-Control": _SETTLED,
    }
    # Passed through also from S3, since a signed address would lose the file's name.
    return _serve(runtime, event.source.key, headers)


def _serve(runtime: Runtime, key: str, headers: dict[str, str]) -> Response:
    """Answer with the object, a part of it, or "not modified"."""
    info = runtime.store.head(key)
    if info is None:
        raise _no_output()
    etag = _etag(info)
    headers |= OUTPUT_HEADERS | {"ETag": etag, "Last-Modified": http_date(info.modified), "Accept-Ranges": "bytes"}
    if not is_resource_modified(request.environ, etag=etag, last_modified=info.modified):
        del headers["Content-Type"]
        return Response(status=304, headers=headers)
    span = _span(info, etag)
    if span is None:
        span, status = Span(0, info.size), 200
    else:
        status = 206
        headers["Content-Range"] = f"bytes {span.start}-{span.end - 1}/{info.size}"
    headers["Content-Length"] = str(span.length)
    if request.method == "HEAD":
        return Response(status=status, headers=headers)
    return Response(_bytes(runtime, key, span), status, headers, direct_passthrough=True)


def _span(info: ObjectInfo, etag: str) -> Span | None:
    if not range_applies(request.headers.get("If-Range"), etag, info.modified):
        return None
    try:
        return wanted_span(request.headers.get("Range"), info.size)
    except Unsatisfiable:
        raise Problem(
            BAD_RANGE, f"The file has {info.size} bytes.", headers={"Content-Range": f"bytes */{info.size}"}
        ) from None


def _bytes(runtime: Runtime, key: str, span: Span) -> Iterable[bytes]:
    """Give the bytes; of a local file by gunicorn's sendfile, which sends Content-Length bytes from where it stands."""
    connection = request.environ.get("gunicorn.socket")
    if connection is not None:
        connection.settimeout(_SEND_STALL_S)
    path: Path | None = runtime.store.local_path(key)
    wrapper: Any = request.environ.get("wsgi.file_wrapper")
    if path is None or wrapper is None:
        return runtime.store.read_range(key, span.start, span.end)
    try:
        opened = path.open("rb", buffering=0)
    except FileNotFoundError:
        raise _no_output() from None
    opened.seek(span.start)
    wrapped: Iterable[bytes] = wrapper(opened, 256 * 1024)
    return wrapped


def _etag(info: ObjectInfo) -> str:
    text = info.etag or f"{info.modified.timestamp()}-{info.size}"
    return f'"{hashlib.sha256(text.encode()).hexdigest()[:24]}"'


def _no_output() -> Problem:
    return Problem(
        NO_SUCH_OUTPUT, "No channel has made this file (yet). GET the asset's own address for what there is."
    )
