"""Where the console runs decides whom it controls."""

import subprocess
import sys

import pytest

from console.control.choose import choose_control
from console.control.fleet_control import ControlUnavailable, ReplayRequest
from console.control.local_fleet_control import LocalFleetControl
from console.control.settings import ControlSettings, FleetFolderSettings
from mq_common.errors import ConfigurationError


def test_without_a_fleet_and_outside_of_a_pod_there_is_nothing_to_control_and_it_says_so(tmp_path):
    folder = FleetFolderSettings(fleet_folder=tmp_path / "none")
    control = choose_control(ControlSettings(), folder, {})
    assert control.kind == "none"
    for ask in (
        control.fleet,
        control.replays,
        lambda: control.pause(None),
        lambda: control.resume("subtitle"),
        lambda: control.scale("subtitle", 2),
        lambda: control.start_replay(ReplayRequest("subtitle")),
        lambda: control.replay("x"),
        lambda: control.stop_replay("x"),
    ):
        with pytest.raises(ControlUnavailable, match=r"none/fleet\.sock is not there.*`make up` starts a fleet"):
            ask()


def test_a_console_that_the_supervisor_started_controls_its_fleet_wherever_that_is(tmp_path):
    folder = FleetFolderSettings(fleet_folder=tmp_path / "other", fleet_run=tmp_path / "run")
    control = choose_control(ControlSettings(), folder, {})
    assert isinstance(control, LocalFleetControl)
    with pytest.raises(ControlUnavailable, match=r"The fleet is not up\. `make up` starts the fleet\."):
        control.fleet()


def test_a_fleet_in_the_folder_is_found_also_when_it_is_down(tmp_path):
    assert choose_control(ControlSettings(), FleetFolderSettings(fleet_folder=tmp_path), {}).kind == "local"


def test_control_can_be_switched_off(tmp_path):
    control = choose_control(ControlSettings(control="none"), FleetFolderSettings(fleet_folder=tmp_path), {})
    with pytest.raises(ControlUnavailable, match="MEDIAFLOW_CONSOLE_CONTROL=none"):
        control.fleet()


def test_a_pod_without_an_account_looks_only_unless_control_is_asked_for(tmp_path):
    folder, pod = FleetFolderSettings(fleet_folder=tmp_path), {"KUBERNETES_SERVICE_HOST": "10.0.0.1"}
    control = choose_control(ControlSettings(), folder, pod)
    with pytest.raises(ControlUnavailable, match=r"no service account to act with .* mount its token"):
        control.fleet()
    with pytest.raises(ConfigurationError, match="MEDIAFLOW_CONSOLE_CONTROL"):
        choose_control(ControlSettings(control="kubernetes"), folder, pod)


def test_a_kubeconfig_that_is_not_there_is_a_bad_setting_that_names_it(tmp_path):
    folder = FleetFolderSettings(fleet_folder=tmp_path)
    with pytest.raises(ConfigurationError, match=r"none\.yaml"):
        choose_control(ControlSettings(kube_config=tmp_path / "none.yaml"), folder, {})


def test_a_kubeconfig_names_cluster_and_namespace(tmp_path):
    file = tmp_path / "config"
    file.write_text(
        """
        apiVersion: v1
        kind: Config
        current-context: here
        clusters: [{name: c, cluster: {server: "http://127.0.0.1:1"}}]
        users: [{name: u, user: {token: secret}}]
        contexts: [{name: here, context: {cluster: c, user: u, namespace: films}}]
        """
    )
    control = choose_control(ControlSettings(kube_config=file), FleetFolderSettings(fleet_folder=tmp_path), {})
    assert control.kind == "kubernetes"
    with pytest.raises(ControlUnavailable, match=r"The API server at http://127\.0\.0\.1:1 can't be reached"):
        control.fleet()


def test_the_kubernetes_package_is_imported_only_where_it_is_used():
    code = "import sys, console.server, console.control.choose; print('kubernetes' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
