"""Asks a broker's management API whether the broker takes connections."""

import json
import urllib.request
from base64 import b64encode

from local_fleet.broker_files import NodePlan

_PATIENCE_S = 5.0


def takes_connections(plan: NodePlan, *, port: int | None = None) -> bool:
    """Whether the AMQP listener is open (on `port` as the node itself sees it) and the management API answers."""
    login = b64encode(f"{plan.user}:{plan.password}".encode()).decode()
    listener = port or plan.amqp_port
    request = urllib.request.Request(
        f"http://{plan.host}:{plan.management_port}/api/health/checks/port-listener/{listener}",
        headers={"Authorization": f"Basic {login}"},
    )
    try:
        with urllib.request.urlopen(request, timeout=_PATIENCE_S) as answer:  # noqa: S310 - our own loopback address
            return bool(json.load(answer)["status"] == "ok")
    except (OSError, ValueError, KeyError):
        return False
