"""make kind-up and kind-down, with stand-ins for docker, kind, kubectl and helm that write down what they are told."""

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

_ROOT = Path(__file__).parents[3]
_TOOLS = ("docker", "kind", "kubectl", "helm")
#: What scripts themselves use.
_USUAL = (
    "sh",
    "dirname",
    "mkdir",
    "sed",
    "grep",
    "rm",
    "cat",
    "cksum",
    "cut",
    "sort",
    "printf",
    "make",
    "env",
    "touch",
    "basename",
)

#: "kind get clusters" tells what was created; docker may be told not to answer, to have no images, or newer ones; the
#: namespace remembers what it is told.
_STAND_IN = """#!/bin/sh
echo "$(basename "$0") $*" >>"$CALLS"
case "$(basename "$0") $1 $2" in
    "kind create cluster") touch "$CALLS.cluster" ;;
    "kind delete cluster") rm -f "$CALLS.cluster" ;;
    "kind get clusters") [ ! -e "$CALLS.cluster" ] || echo mediaflow ;;
    "docker info "*) [ -z "$NO_ENGINE" ] ;;
    "docker image inspect") [ -z "$NO_IMAGES" ] && echo "sha256:$BUILD" ;;
    "kubectl annotate --overwrite") echo "${5#*=}" >"$CALLS.images" ;;
    "kubectl get namespace") cat "$CALLS.images" ;;
    "kubectl get crd") [ -z "$NO_KEDA" ] ;;
    "helm template mediaflow") printf '  image: rabbitmq:4.3\n  image: mediaflow-ingest:0.1.0\n' ;;
esac
"""

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def calls(tmp_path: Path) -> Path:
    return tmp_path / "calls"


@pytest.fixture
def run(tmp_path: Path, calls: Path) -> Run:
    """Run a script in a copy of the house's scripts and chart, with only the stand-ins and plain tools on the PATH."""
    house, bin_folder = tmp_path / "house", tmp_path / "bin"
    shutil.copytree(_ROOT / "scripts", house / "scripts")
    shutil.copytree(_ROOT / "charts", house / "charts")
    bin_folder.mkdir()
    for name in _USUAL:
        if found := shutil.which(name):
            (bin_folder / name).symlink_to(found)
    for name in _TOOLS:
        (bin_folder / name).write_text(_STAND_IN)
        (bin_folder / name).chmod(0o755)

    def run(script: str, *, without: str = "", **variables: str) -> subprocess.CompletedProcess[str]:
        if without:
            (bin_folder / without).unlink()
        calls.write_text("")
        environment = {"PATH": str(bin_folder), "CALLS": str(calls), "IMAGES": "keep", "HOME": str(tmp_path)}
        command = [str(house / "scripts" / script)]
        return subprocess.run(
            command, env=environment | variables, capture_output=True, text=True, timeout=60, check=False
        )

    return run


@pytest.mark.parametrize("tool", _TOOLS)
def test_a_tool_that_is_missing_is_named_with_where_to_get_it_and_nothing_is_begun(
    run: Run, calls: Path, tool: str
) -> None:
    done = run("kind_up", without=tool)

    assert done.returncode == 1
    assert f"{tool}: https://" in done.stderr
    assert "create" not in calls.read_text()


def test_an_engine_that_does_not_answer_is_said(run: Run) -> None:
    done = run("kind_up", NO_ENGINE="1")

    assert done.returncode == 1
    assert "its engine does not answer" in done.stderr


def test_kind_up_makes_the_cluster_installs_everything_and_prints_where_it_is(run: Run, calls: Path) -> None:
    done = run("kind_up")

    assert done.returncode == 0, done.stderr
    told = calls.read_text()
    for part in ("kind create cluster", "keda", "metrics-server", "kube-prometheus-stack", "kind load docker-image"):
        assert part in told
    assert "rabbitmq.mode=builtin --set monitoring.enabled=true" in told
    assert "http://localhost:8080" in done.stdout
    assert "password" in done.stdout


def test_kedas_errors_are_read_by_the_prometheus_that_comes_before_it(run: Run, calls: Path) -> None:
    assert run("kind_up").returncode == 0

    (keda,) = (line for line in calls.read_text().splitlines() if "--install keda " in line)
    assert "prometheus.operator.serviceMonitor.additionalLabels.release=kube-prometheus-stack" in keda
    assert calls.read_text().index("--install kube-prometheus-stack") < calls.read_text().index(keda)

    assert run("kind_up", MONITORING="0").returncode == 0
    assert "prometheus.operator" not in calls.read_text()


def test_kind_up_a_second_time_makes_no_second_cluster(run: Run, calls: Path) -> None:
    assert run("kind_up").returncode == 0

    done = run("kind_up")

    assert done.returncode == 0, done.stderr
    assert "kind create" not in calls.read_text()
    assert "helm upgrade --install" in calls.read_text()
    assert "rollout restart" not in calls.read_text()


def test_pods_of_earlier_images_are_replaced_though_the_images_names_are_the_same(run: Run, calls: Path) -> None:
    assert run("kind_up").returncode == 0

    done = run("kind_up", BUILD="2")

    assert done.returncode == 0, done.stderr
    assert "rollout restart deployment" in calls.read_text()


def test_without_a_network_the_cluster_s_addons_and_docker_s_images_are_taken_and_no_repository_is_asked(
    run: Run, calls: Path
) -> None:
    done = run("kind_up", ADDONS="keep")

    assert done.returncode == 0, done.stderr
    told = calls.read_text()
    assert "--repo" not in told
    assert "mediaflow-load:0.1.0 rabbitmq:4.3" in told


def test_rabbitmq_comes_from_its_operator_where_that_is_asked_for_and_monitoring_can_be_left_out(
    run: Run, calls: Path
) -> None:
    assert run("kind_up", RABBITMQ="operator", MONITORING="0").returncode == 0

    told = calls.read_text()
    assert "cluster-operator.yml" in told
    assert "rabbitmq.mode=operator --set monitoring.enabled=false" in told
    assert "kube-prometheus-stack" not in told


@pytest.mark.parametrize(
    ("variables", "said"),
    [
        ({"RABBITMQ": "mine"}, "RABBITMQ=mine"),
        ({"ADDONS": "none"}, "ADDONS=none"),
        ({"ADDONS": "keep", "NO_KEDA": "1"}, "has no KEDA"),
        ({"NO_IMAGES": "1"}, "make images builds it"),
    ],
)
def test_what_can_not_work_is_said_in_one_line(run: Run, variables: dict[str, str], said: str) -> None:
    done = run("kind_up", **variables)

    assert done.returncode == 1
    assert said in done.stderr.splitlines()[-1]


def test_kind_down_ends_the_cluster_and_does_nothing_where_there_is_none(run: Run, calls: Path) -> None:
    assert run("kind_up").returncode == 0

    assert run("kind_down").returncode == 0
    assert "kind delete cluster --name mediaflow" in calls.read_text()
    assert run("kind_down").returncode == 0
    assert "delete" not in calls.read_text()


def test_the_cluster_maps_the_ports_at_which_the_readme_says_the_fleet_is() -> None:
    kind = (_ROOT / "charts" / "kind.yaml").read_text()

    assert "{ containerPort: 30080, hostPort: 8080, listenAddress: 127.0.0.1 }" in kind
    assert "{ containerPort: 30090, hostPort: 8090, listenAddress: 127.0.0.1 }" in kind
    assert kind.count("- role: worker") == 3
    assert os.access(_ROOT / "scripts" / "kind_up", os.X_OK)
