"""The addresses of this service as OpenAPI path items. Pure data; schemas come from the models."""

from collections.abc import Iterable
from typing import Any

from ingest import problems
from ingest.problems import CONTENT_TYPE, Kind

Json = dict[str, Any]

_BINARY: Json = {"schema": {"type": "string", "format": "binary"}}
_ASSET_ID: Json = {"name": "assetId", "in": "path", "required": True, "schema": {"type": "string"}}
#: What may be said about a file, in the query or in a form.
_FILE_FIELDS: dict[str, Json] = {
    "assetId": {"$ref": "#/components/schemas/SimulatedUpload/properties/assetId"},
    "ownerId": {"$ref": "#/components/schemas/SimulatedUpload/properties/ownerId"},
    "durationSec": {"type": "number", "minimum": 0, "description": "claimed length, seconds"},
}
_UPLOAD_PROBLEMS = (
    problems.MALFORMED,
    problems.EMPTY_UPLOAD,
    problems.BROKEN_OFF,
    problems.SIMULATION_OFF,
    problems.CROSS_SITE,
    problems.STALLED,
    problems.ASSET_CONFLICT,
    problems.TOO_LARGE,
    problems.NOT_MEDIA,
    problems.INVALID,
    problems.KEY_REUSED,
    problems.OVER_CAPACITY,
    problems.BROKER_UNAVAILABLE,
    problems.UNROUTABLE,
    problems.REFUSED_BY_BROKER,
    problems.UNCONFIRMED,
    problems.OUTBOX_FULL,
    problems.TOO_BUSY,
    problems.STORE_UNAVAILABLE,
    problems.STORE_FULL,
)
_STORE_PROBLEMS = (problems.STORE_UNAVAILABLE,)


def paths() -> dict[str, Json]:
    """Give every path with its operations."""
    return {
        "/media/upload": {"post": _upload()},
        "/media/burst": {"post": _burst()},
        "/media": {"get": _list()},
        "/media/{assetId}": {"get": _asset()},
        "/media/{assetId}/source": {"get": _file("downloadSource", "Download the uploaded file", [_ASSET_ID])},
        "/media/{assetId}/{channel}/{file}": {"get": _output()},
        "/capabilities": {"get": _capabilities()},
        "/healthz": {"get": _plain("healthz", "The process is alive", "application/json")},
        "/readyz": {"get": _readyz()},
        "/metrics": {"get": _plain("metrics", "Prometheus metrics of all worker processes", "text/plain")},
        "/openapi.json": {"get": _plain("openapi", "This description", "application/json")},
        "/asyncapi.json": {"get": _plain("asyncapi", "The event and the queues it goes to", "application/json")},
        "/docs": {"get": _plain("docs", "This description, to read and try", "text/html")},
    }


def _upload() -> Json:
    return {
        "operationId": "upload",
        "summary": "Upload a video",
        "description": (
            "Three forms: the file as the raw body (`curl --data-binary @holiday.mp4 -H 'Content-Type: video/mp4'`, or "
            "`curl -X POST -T holiday.mp4` for files that don't fit into memory), a form with a part `file` "
            "(`curl -F file=@holiday.mp4`), or JSON for a simulated asset where those are allowed.\n\n"
            "202 comes after the file is in the store and the broker has confirmed an event that reached a queue "
            "(`queued`), or, while the broker can't, the event is in the outbox, to be published later (`accepted`). "
            "Without `assetId` and `Idempotency-Key` the same file sent twice becomes two assets. With `assetId` the "
            "same content gives the same event again, other content 409. With `Idempotency-Key` the answer is repeated "
            "and nothing is published twice. In a form, the field `assetId` must come before the file."
        ),
        "tags": ["uploads"],
        "parameters": [
            _query("filename", "Name to show and to save under; never a path", {"type": "string"}),
            *(_query(name, "As in the form", schema) for name, schema in _FILE_FIELDS.items()),
            _header("Idempotency-Key", "1 to 255 visible characters; makes a retry safe"),
            _header("traceparent", "W3C Trace Context; goes on in the event"),
        ],
        "requestBody": {
            "required": True,
            "content": {
                "video/*": _BINARY,
                "audio/*": _BINARY,
                "application/octet-stream": _BINARY,
                "application/mp4": _BINARY,
                "multipart/form-data": {"schema": _form()},
                "application/json": {"schema": _ref("SimulatedUpload")},
            },
        },
        "responses": {
            "202": {
                "description": "Stored; its event is confirmed by the broker, or waits in the outbox",
                "headers": {"Location": {"schema": {"type": "string"}, "description": "The asset's address"}},
                "content": _json(_ref("UploadAccepted")),
            },
            **_problem_responses(_UPLOAD_PROBLEMS),
        },
    }


def _form() -> Json:
    return {
        "type": "object",
        "required": ["file"],
        "properties": _FILE_FIELDS | {"file": {"type": "string", "format": "binary"}},
    }


def _burst() -> Json:
    return {
        "operationId": "burst",
        "summary": "Publish simulated load",
        "description": "Only where simulation is allowed. Takes JSON under any Content-Type. Not idempotent.",
        "tags": ["uploads"],
        "requestBody": {"required": True, "content": _json(_ref("BurstRequest"))},
        "responses": {
            "202": {"description": "Every event is confirmed", "content": _json(_ref("BurstReport"))},
            **_problem_responses(
                (
                    problems.MALFORMED,
                    problems.SIMULATION_OFF,
                    problems.TOO_LARGE,
                    problems.INVALID,
                    problems.OVER_CAPACITY,
                    problems.BROKER_UNAVAILABLE,
                    problems.UNROUTABLE,
                    problems.REFUSED_BY_BROKER,
                    problems.UNCONFIRMED,
                    *_STORE_PROBLEMS,
                )
            ),
        },
    }


def _capabilities() -> Json:
    return {
        "operationId": "capabilities",
        "summary": "What uploads are taken here",
        "tags": ["uploads"],
        "responses": {"200": {"description": "The limits", "content": _json(_ref("Capabilities"))}},
    }


def _list() -> Json:
    return {
        "operationId": "listAssets",
        "summary": "List assets, newest first, or search in the list",
        "description": (
            "`q`, `owner` and `state` together narrow the list. A search looks at a bounded part of it per request: "
            "its answer may hold fewer assets than `limit`, or none, and still have a `next` that goes on from there; "
            "`searchedUntil` tells how far back it has looked. An asset whose whole id is `q` is always found, first."
        ),
        "tags": ["assets"],
        "parameters": [
            _query("limit", "Assets on a page", {"type": "integer", "minimum": 1, "maximum": 500, "default": 50}),
            _query("cursor", "From `next` of the page before", {"type": "string"}),
            _query("include", "`status` reads each asset's channels as well", {"type": "string", "enum": ["status"]}),
            _query("q", "How the assets' ids begin", _ref("SimulatedUpload/properties/assetId")),
            _query("owner", "Whose they are, exactly", _ref("SimulatedUpload/properties/ownerId")),
            _query("state", "Their status", _ref("AssetView/properties/status")),
            _query("ids", "These assets and no others: their ids with commas between, 200 at most", {"type": "string"}),
        ],
        "responses": {
            "200": {"description": "One page", "content": _json(_ref("AssetPage"))},
            **_problem_responses((problems.INVALID, *_STORE_PROBLEMS)),
        },
    }


def _asset() -> Json:
    page = {"text/html": {"schema": {"type": "string"}}}
    return {
        "operationId": "getAsset",
        "summary": "One asset and what each channel did with it",
        "description": "Browsers, which prefer text/html, get a page that plays it.",
        "tags": ["assets"],
        "parameters": [_ASSET_ID],
        "responses": {
            "200": {"description": "The asset", "content": _json(_ref("AssetView")) | page},
            **_problem_responses((problems.NO_SUCH_ASSET, *_STORE_PROBLEMS)),
        },
    }


def _output() -> Json:
    step: Json = {"in": "path", "required": True, "schema": {"type": "string"}}
    parameters = [
        _ASSET_ID,
        step | {"name": "channel"},
        step | {"name": "file", "description": "the output's name; may hold slashes, such as 720p/index.m3u8"},
    ]
    operation = _file("getOutput", "A file that a channel made", parameters)
    operation["responses"]["307"] = {"description": "S3 store: a signed address that holds the file for a while"}
    return operation


def _file(operation_id: str, summary: str, parameters: list[Json]) -> Json:
    return {
        "operationId": operation_id,
        "summary": summary,
        "tags": ["files"],
        "parameters": [*parameters, _header("Range", "bytes=first-last")],
        "responses": {
            "200": {"description": "The whole file", "content": {"*/*": _BINARY}},
            "206": {"description": "The part asked for", "content": {"*/*": _BINARY}},
            "304": {"description": "Not modified"},
            **_problem_responses(
                (problems.NO_SUCH_ASSET, problems.NO_SUCH_OUTPUT, problems.BAD_RANGE, *_STORE_PROBLEMS)
            ),
        },
    }


def _readyz() -> Json:
    operation = _plain("readyz", "The store can be used, and the broker or the outbox", "application/json")
    operation["responses"]["503"] = {"description": "One of them can't; the body says which"}
    return operation


def _plain(operation_id: str, summary: str, content_type: str) -> Json:
    content = {content_type: {"schema": {"type": "object" if content_type == "application/json" else "string"}}}
    return {
        "operationId": operation_id,
        "summary": summary,
        "tags": ["service"],
        "responses": {"200": {"description": summary, "content": content}},
    }


def _problem_responses(kinds: Iterable[Kind]) -> Json:
    """Give one response per status, which names every kind of problem that has it."""
    by_status: dict[int, list[Kind]] = {}
    for kind in kinds:
        by_status.setdefault(kind.status, []).append(kind)
    return {str(status): _problem_response(found) for status, found in sorted(by_status.items())}


def _problem_response(kinds: list[Kind]) -> Json:
    response: Json = {
        "description": "; ".join(f"`{kind.slug}`: {kind.title}" for kind in kinds),
        "content": {CONTENT_TYPE: {"schema": _ref("ProblemView")}},
    }
    if any(kind.retry_after_s for kind in kinds):
        response["headers"] = {"Retry-After": {"schema": {"type": "integer"}, "description": "seconds"}}
    return response


def _json(schema: Json) -> Json:
    return {"application/json": {"schema": schema}}


def _ref(model: str) -> Json:
    return {"$ref": f"#/components/schemas/{model}"}


def _query(name: str, description: str, schema: Json) -> Json:
    return {"name": name, "in": "query", "description": description, "schema": schema}


def _header(name: str, description: str) -> Json:
    return {"name": name, "in": "header", "description": description, "schema": {"type": "string"}}
