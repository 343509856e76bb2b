"""Picks the control that suits where the console runs."""

import os
from collections.abc import Mapping

from console.control.fleet_control import FleetControl
from console.control.local_fleet_control import LocalFleetControl
from console.control.nothing_control import NothingControl
from console.control.settings import ControlSettings, FleetFolderSettings
from mq_common.errors import ConfigurationError

_NOTHING_HERE = (
    "Nothing can be controlled from here: no fleet was started on this machine ({socket} is not there) and this is no"
    " pod. `make up` starts a fleet; MEDIAFLOW_CONSOLE_KUBE_CONFIG names a cluster's."
)
_SWITCHED_OFF = "Control is switched off (MEDIAFLOW_CONSOLE_CONTROL=none)."


def choose_control(
    settings: ControlSettings, folder: FleetFolderSettings, environment: Mapping[str, str] = os.environ
) -> FleetControl:
    """Give the control of the fleet that `settings` name, or of the one that is found.

    Raises ConfigurationError when Kubernetes is meant and its configuration can't be read.
    """
    if settings.control == "none":
        return NothingControl(_SWITCHED_OFF)
    if settings.control == "kubernetes" or (settings.control == "auto" and _on_kubernetes(settings, environment)):
        return _kubernetes(settings)
    # A fleet may be started after its console: the folder it would be in decides, the socket only with `auto`.
    if settings.control == "local" or folder.fleet_run or folder.socket.parent.is_dir():
        return LocalFleetControl(folder.socket)
    return NothingControl(_NOTHING_HERE.format(socket=folder.socket))


def _kubernetes(settings: ControlSettings) -> FleetControl:
    # Imported only where it is needed: the package costs every console 24 MB.
    from console.control.kubernetes_control import open_kubernetes_control  # noqa: PLC0415

    try:
        return open_kubernetes_control(settings)
    except ConfigurationError as error:
        if settings.control == "kubernetes" or settings.kube_config is not None:
            raise
        return NothingControl(f"{error}.")  # a pod without an account is one that is meant to look only


def _on_kubernetes(settings: ControlSettings, environment: Mapping[str, str]) -> bool:
    return settings.kube_config is not None or bool(environment.get("KUBERNETES_SERVICE_HOST"))
