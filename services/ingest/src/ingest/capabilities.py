"""GET /capabilities: what uploads are taken here."""

from flask import Flask, Response

from ingest.models import Capabilities
from ingest.runtime import Runtime


def add_capability_routes(app: Flask, runtime: Runtime) -> None:
    """Add the route."""
    settings = runtime.settings
    answer = Capabilities(simulated=settings.allow_simulated, max_upload_bytes=settings.max_upload_bytes)
    body = answer.model_dump_json()

    @app.get("/capabilities")
    def capabilities() -> Response:
        return Response(body, headers={"Cache-Control": "no-cache"}, content_type="application/json")
