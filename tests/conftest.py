"""Fixtures for all tests: a real broker and real ffmpeg. What is missing fails the test; nothing is skipped."""

import fcntl
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from base64 import b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.error import HTTPError
from urllib.parse import quote, unquote, urlsplit
from urllib.request import Request, urlopen
from uuid import uuid4

import pytest
from hypothesis import settings

from local_fleet.broker import BrokerAddress, PrivateBroker
from local_fleet.identity import ProcessIdentity

_START_LIMIT_S = 120.0

# Not MEDIAFLOW_…: the services refuse variables of that kind that they don't know.
_RUN_FOLDER, _RUN_PID = "FLEET_TESTS_FOLDER", "FLEET_TESTS_PID"


def pytest_configure() -> None:
    """Name the folder and the process of the whole run; xdist's workers inherit both."""
    if "CI" not in os.environ:  # where hypothesis has a profile of its own, which is as patient
        settings.register_profile("patient", deadline=None)
        settings.load_profile("patient")
    if "PYTEST_XDIST_WORKER" not in os.environ:
        os.environ[_RUN_FOLDER] = tempfile.mkdtemp(prefix="mediaflow-tests-")
        os.environ[_RUN_PID] = str(os.getpid())


def pytest_unconfigure() -> None:
    """End the run's broker; when this is never reached, its keeper does it."""
    if "PYTEST_XDIST_WORKER" in os.environ or os.environ.get(_RUN_PID) != str(os.getpid()):
        return
    folder = Path(os.environ[_RUN_FOLDER])
    if (folder / "keeper.pid").exists() and (keeper := ProcessIdentity.of(int((folder / "keeper.pid").read_text()))):
        keeper.end(10)
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
def broker() -> BrokerAddress:
    """The broker of this test run: AMQP_URL when it is set, else one private node for all xdist workers."""
    if amqp_url := os.environ.get("AMQP_URL"):
        return BrokerAddress(amqp_url, os.environ.get("MEDIAFLOW_MANAGEMENT_URL") or _usual_management(amqp_url))
    shared = Path(os.environ[_RUN_FOLDER])
    with (shared / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (shared / "keeper.pid").exists():
            keeper = _start_beside("broker_keeper.py", shared / "keeper.log", shared, int(os.environ[_RUN_PID]))
            (shared / "keeper.pid").write_text(str(keeper.pid))
    return _await_address(shared)


@pytest.fixture
def vhost(broker: BrokerAddress) -> Iterator[str]:
    """The name of a fresh virtual host for this test alone; deleted afterwards with all its queues."""
    with _virtual_host(broker) as name:
        yield name


@pytest.fixture(scope="module")
def module_amqp_url(broker: BrokerAddress) -> Iterator[str]:
    """AMQP address of a virtual host for the tests of one file."""
    with _virtual_host(broker) as name:
        yield urlsplit(broker.amqp_url)._replace(path=f"/{name}").geturl()


@contextmanager
def _virtual_host(broker: BrokerAddress) -> Iterator[str]:
    name = f"test-{uuid4().hex[:12]}"
    user = unquote(urlsplit(broker.amqp_url).username or "guest")
    _call(broker, "PUT", f"vhosts/{name}")
    _call(broker, "PUT", f"permissions/{name}/{quote(user)}", {"configure": ".*", "write": ".*", "read": ".*"})
    try:
        yield name
    finally:
        _call(broker, "DELETE", f"vhosts/{name}")


@pytest.fixture
def amqp_url(broker: BrokerAddress, vhost: str) -> str:
    """AMQP address of this test's own virtual host."""
    return urlsplit(broker.amqp_url)._replace(path=f"/{vhost}").geturl()


@pytest.fixture
def management_url(broker: BrokerAddress) -> str:
    """Base address of the management API, with user and password; it sees the virtual hosts of all tests."""
    return broker.management_url


@pytest.fixture
def own_broker(tmp_path: Path) -> Iterator[PrivateBroker]:
    """A started private node of this test alone, to be stopped, killed and restarted at will."""
    node = PrivateBroker(tmp_path / "own-broker", death_signal=signal.SIGKILL)
    try:
        node.start()
        yield node
    finally:
        node.kill()
        shutil.rmtree(tmp_path / "own-broker", ignore_errors=True)


@pytest.fixture(scope="session")
def fleet_guard(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Whatever happens to this process, no fleet under its temporary folder outlives it."""
    folder = tmp_path_factory.getbasetemp().resolve()
    guard = _start_beside("fleet_guard.py", folder / "fleet_guard.log", folder, os.getpid())
    yield
    guard.kill()
    guard.wait()


@pytest.fixture(scope="session")
def ffmpeg() -> Path:
    """The ffmpeg program; ffprobe is beside it."""
    program = shutil.which("ffmpeg")
    if program is None or shutil.which("ffprobe") is None:
        pytest.fail("the tests need ffmpeg and ffprobe on the PATH: apt-get install ffmpeg", pytrace=False)
    return Path(program)


def _start_beside(script: str, log_file: Path, folder: Path, run_pid: int) -> subprocess.Popen[bytes]:
    """Start a script of this folder that outlives this process and looks after `folder`."""
    with log_file.open("wb") as log:
        return subprocess.Popen(
            [sys.executable, str(Path(__file__).with_name(script)), str(folder), str(run_pid)],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )


def _await_address(shared: Path) -> BrokerAddress:
    deadline = time.monotonic() + _START_LIMIT_S
    while not (shared / "address.json").exists():
        if (shared / "error.txt").exists():
            pytest.fail(f"no broker for the tests: {(shared / 'error.txt').read_text()}", pytrace=False)
        if time.monotonic() > deadline:
            pytest.fail(f"the broker of the tests did not start; see {shared}", pytrace=False)
        time.sleep(0.05)
    return BrokerAddress(**json.loads((shared / "address.json").read_text()))


def _usual_management(amqp_url: str) -> str:
    parts = urlsplit(amqp_url)
    login = f"{parts.username or 'guest'}:{parts.password or 'guest'}"
    return f"http://{login}@{parts.hostname or 'localhost'}:15672"


def _call(broker: BrokerAddress, method: str, path: str, body: dict[str, str] | None = None) -> None:
    parts = urlsplit(broker.management_url)
    login = b64encode(f"{unquote(parts.username or '')}:{unquote(parts.password or '')}".encode()).decode()
    request = Request(
        f"{parts.scheme}://{parts.hostname}:{parts.port}/api/{path}",
        method=method,
        data=json.dumps(body or {}).encode() if method == "PUT" else None,
        headers={"Authorization": f"Basic {login}", "Content-Type": "application/json"},
    )
    try:
        with urlopen(request, timeout=30):
            return
    except HTTPError as error:
        if method == "DELETE" and error.code == 404:
            return
        pytest.fail(f"the broker's management API refused {method} {path}: {error}", pytrace=False)
    except OSError as error:
        pytest.fail(
            f"the tests need the broker's management API at {parts.hostname}:{parts.port}: {error}", pytrace=False
        )
