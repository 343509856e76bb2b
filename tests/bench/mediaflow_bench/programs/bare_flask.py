"""A Flask endpoint that parses the JSON and answers, under ingest's own gunicorn settings (MEDIAFLOW_INGEST_*)."""

import socket
import sys
from typing import Any

from flask import Flask, request

from ingest.metrics_folder import prepare_metrics_folder


def create_app() -> Flask:
    """Make the least application that could be called an upload endpoint."""
    app = Flask("bare")

    @app.post("/media/upload")
    def upload() -> tuple[dict[str, Any], int]:
        asset = request.get_json()
        return {"eventId": "", "assetId": asset["assetId"], "status": "queued"}, 202

    @app.get("/readyz")
    def ready() -> dict[str, Any]:
        return {}

    return app


def main() -> int:
    """Serve until stopped."""
    prepare_metrics_folder()
    from ingest.server import IngestServer
    from ingest.settings import IngestSettings
    from mq_common.logs import configure_logging
    from mq_common.settings import LogSettings
    from mq_common.web_process import FleetArbiter

    class BareServer(IngestServer):
        def load(self) -> Any:
            return create_app()

    configure_logging("bare", LogSettings(log_format="json"))
    settings = IngestSettings()
    listener = socket.create_server((settings.host, settings.port), backlog=2048)
    FleetArbiter(BareServer(settings, 10, listener, lambda: None)).run()
    return 0


if __name__ == "__main__":
    sys.exit(main())
