"""The fleet of stand-ins; and a Kubernetes API: a real one where KUBE_APISERVER names it, else the tests' own."""

import pytest

from console.control.kube_access import role_rules
from console.control.kubernetes_control import open_kubernetes_control
from console.control.settings import ControlSettings
from kube_cluster import CONSOLE, RELEASE
from kube_real import program, real_cluster
from kube_recorded import recorded_cluster
from stub_fleet import stub_fleet, until

__all__ = ["stub_fleet", "until"]


@pytest.fixture(scope="module", params=["kube-apiserver" if program() else "recorded-answers"])
def server(tmp_path_factory):
    """The API server of a test file; the name of each test says which."""
    apiserver = program()
    with real_cluster(apiserver, tmp_path_factory.mktemp("kube")) if apiserver else recorded_cluster() as cluster:
        yield cluster


@pytest.fixture
def bare(server):
    """A namespace of the test's own, KEDA installed, with a console that may do nothing yet."""
    server.begin()
    server.with_keda(True)
    return server


@pytest.fixture
def cluster(bare):
    """A namespace of the test's own in which the console may do what its Role says."""
    bare.allow(role_rules())
    return bare


@pytest.fixture
def make_control(server, tmp_path):
    """Open the console's control as in production, from a kubeconfig. Each call is another console."""

    def make(token=CONSOLE):
        file = server.kubeconfig(tmp_path / "kubeconfig", token)
        return open_kubernetes_control(ControlSettings(kube_config=file, kube_release=RELEASE))

    return make
