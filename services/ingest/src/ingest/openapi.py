"""/openapi.json, /asyncapi.json and /docs. Descriptions are made when asked for; no other request pays for them."""

from functools import cache
from importlib.metadata import version
from typing import Any

import orjson
from flask import Flask, Response, render_template
from pydantic.json_schema import models_json_schema

from ingest import models
from ingest.openapi_paths import paths
from ingest.page_headers import page_headers
from ingest.runtime import Runtime
from mq_common.asyncapi import asyncapi_document

_INPUTS = (models.SimulatedUpload, models.BurstRequest)
_OUTPUTS = (
    models.UploadAccepted,
    models.BurstReport,
    models.AssetView,
    models.AssetPage,
    models.Capabilities,
    models.ProblemView,
    models.InvalidField,
)

_DESCRIPTION = (
    "A video is uploaded once; independent channels each do their own work on it. Upload it, then follow the asset's "
    "address until every channel is done. Every error is `application/problem+json` (RFC 9457) whose `detail` says "
    "what to do. The events behind it are described in [/asyncapi.json](/asyncapi.json)."
)


def add_openapi_routes(app: Flask, runtime: Runtime) -> None:
    """Add the routes that describe the others."""

    @app.get("/openapi.json")
    def openapi() -> Response:
        return Response(document_json(), content_type="application/json")

    @app.get("/asyncapi.json")
    def asyncapi() -> Response:
        """Describe the channels that there are now: one may have been added since the last request."""
        described = asyncapi_document(runtime.channels.current().values())
        return Response(orjson.dumps(described), content_type="application/json")

    @app.get("/docs")
    def docs() -> Response:
        return Response(render_template("docs.html"), headers=page_headers(docs=True), content_type="text/html")


@cache
def document_json() -> bytes:
    """Give the description as JSON."""
    return orjson.dumps(document())


def document() -> dict[str, Any]:
    """Make the OpenAPI 3.1 description from the models and the paths."""
    from apispec import APISpec  # noqa: PLC0415 - most processes never describe themselves

    spec = APISpec(
        title="Mediaflow ingest",
        version=version("mediaflow-ingest"),
        openapi_version="3.1.0",
        info={"description": _DESCRIPTION, "license": {"name": "MIT", "identifier": "MIT"}},
        servers=[{"url": "/"}],
        externalDocs={"url": "/asyncapi.json", "description": "The event and the queues it goes to (AsyncAPI 3.0)"},
    )
    wanted: list[Any] = [(model, "validation") for model in _INPUTS] + [(model, "serialization") for model in _OUTPUTS]
    _, definitions = models_json_schema(wanted, ref_template="#/components/schemas/{model}")
    for name, schema in definitions["$defs"].items():
        spec.components.schema(name, schema)
    for path, operations in paths().items():
        spec.path(path, operations=operations)
    described: dict[str, Any] = spec.to_dict()
    return described
