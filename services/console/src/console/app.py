"""The application: every area adds its own pages and its part of the admin API."""

from flask import Flask

from console.access.access import add_access
from console.assets.routes import add_assets_routes
from console.dead_letters.routes import add_dead_letters_routes
from console.error_answers import add_error_handlers
from console.fleet.routes import add_fleet_routes
from console.history_routes import add_history_routes
from console.pages import prepare_pages
from console.planner.routes import add_planner_routes
from console.probes import add_probe_routes
from console.runtime import Runtime
from console.simulator.routes import add_simulator_routes
from console.style_page import add_style_routes

#: Seconds for which browsers may keep scripts, styles and fonts.
_STATIC_MAX_AGE_S = 3600


def create_app(runtime: Runtime) -> Flask:
    """Make the WSGI application on an opened runtime."""
    app = Flask("console", static_folder="static", static_url_path="/static", template_folder="templates")
    app.config["SEND_FILE_MAX_AGE_DEFAULT"] = _STATIC_MAX_AGE_S
    add_access(app, runtime.settings)
    prepare_pages(app)
    add_fleet_routes(app, runtime)
    add_assets_routes(app, runtime)
    add_dead_letters_routes(app, runtime)
    add_simulator_routes(app, runtime)
    add_planner_routes(app, runtime)
    add_history_routes(app, runtime)
    if runtime.settings.debug:
        add_style_routes(app)
    add_probe_routes(app, runtime)
    add_error_handlers(app)
    return app
