"""The application: Flask for everything but the uploads themselves."""

from flask import Flask

from ingest.asset_pages import add_asset_routes
from ingest.capabilities import add_capability_routes
from ingest.error_answers import add_error_handlers
from ingest.openapi import add_openapi_routes
from ingest.outputs import add_output_routes
from ingest.probes import add_probe_routes
from ingest.runtime import Runtime
from ingest.upload_lane import UploadLane
from ingest.uploads import Uploads

#: Seconds for which browsers may keep the pages' own scripts and styles.
_STATIC_MAX_AGE_S = 3600


class FrontDoor(Uploads):
    """The WSGI application, and the lane that goes round it (`ingest.front_worker`)."""

    def __init__(self, app: Flask, runtime: Runtime) -> None:
        super().__init__(app, runtime)
        self.lane = UploadLane(runtime)


def create_app(runtime: Runtime) -> FrontDoor:
    """Make the WSGI application on an opened runtime."""
    app = Flask("ingest", static_folder="static", static_url_path="/static", template_folder="templates")
    app.config["SEND_FILE_MAX_AGE_DEFAULT"] = _STATIC_MAX_AGE_S
    app.url_map.merge_slashes = False
    add_asset_routes(app, runtime)
    add_output_routes(app, runtime)
    add_capability_routes(app, runtime)
    add_probe_routes(app, runtime)
    add_openapi_routes(app, runtime)
    add_error_handlers(app)
    return FrontDoor(app, runtime)
