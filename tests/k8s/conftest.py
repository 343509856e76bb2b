"""A run on the cluster that KUBECONFIG names: `make test-k8s`. The files are parts of one run, in their order."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

_HERE = Path(__file__).parent
sys.path[:0] = [str(_HERE), str(_HERE.parent / "chaos")]

from mediaflow_k8s.installation import Installation  # noqa: E402 - found by the line before
from mediaflow_k8s.kubectl import CommandFailed  # noqa: E402
from mediaflow_k8s.parameters import Missing, read_parameters  # noqa: E402
from mediaflow_k8s.tools import find_tools  # noqa: E402

#: Seconds for one test, on a cluster with patience 1. The first one waits for the installation.
_LIMIT_S = 1200

_unchecked = pytest.StashKey[list[str]]()
_installation = pytest.StashKey[Installation]()


def pytest_sessionstart(session: pytest.Session) -> None:
    """See whether there is what the run needs, before anything is begun."""
    session.config.stash[_unchecked] = []
    try:
        installation = Installation.of(read_parameters(os.environ), find_tools())
        version = installation.check_cluster()
    except Missing as missing:
        pytest.exit(f"not run: {missing}", returncode=2)
    session.config.stash[_installation] = installation
    parameters = installation.parameters
    images = f"{parameters.registry or 'on the nodes'}, tag {parameters.tag or 'of the chart'}"
    print(f"\nKubernetes {version}, {'with' if installation.has_keda else 'WITHOUT'} KEDA; images: {images}")
    workers = f"transcode with {parameters.fewest} to {parameters.most} workers"
    print(f"namespace {parameters.namespace}, {parameters.brokers} nodes of RabbitMQ, {workers}")


def pytest_collection_modifyitems(session: pytest.Session, items: list[pytest.Item]) -> None:
    """Give each test its time, and the files their order."""
    items.sort(key=lambda item: item.path.name)
    patience = session.config.stash[_installation].parameters.patience
    for item in items:
        item.add_marker(pytest.mark.timeout(_LIMIT_S * patience))


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """What was not checked is no pass."""
    if session.config.stash.get(_unchecked, []) and exitstatus == 0:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Say what was not checked."""
    for sentence in config.stash.get(_unchecked, []):
        terminalreporter.write_line(f"NOT CHECKED: {sentence}", red=True)


@pytest.fixture(scope="session")
def bare(request: pytest.FixtureRequest) -> Iterator[Installation]:
    """Give the run's own namespace with nothing in it; removed at the end."""
    installation = request.config.stash[_installation]
    try:
        installation.make_namespace()
    except Missing as missing:
        pytest.exit(f"not run: {missing}", returncode=2)
    yield installation
    if installation.parameters.keep:
        print(f"\nkept: kubectl --namespace {installation.parameters.namespace} get all")
    else:
        installation.remove_namespace()


@pytest.fixture(scope="session")
def mediaflow(bare: Installation) -> Installation:
    """Give the chart, installed and ready."""
    try:
        bare.install()
    except CommandFailed as error:
        pytest.exit(f"the chart could not be installed: {error}", returncode=1)
    return bare


@pytest.fixture
def keda(mediaflow: Installation, request: pytest.FixtureRequest) -> Installation:
    """Give the chart on a cluster with KEDA; without it the test is counted as not checked."""
    if not mediaflow.has_keda:
        sentence = f"{request.node.name}: the cluster has no KEDA"
        request.config.stash[_unchecked].append(sentence)
        pytest.skip(sentence)
    return mediaflow
