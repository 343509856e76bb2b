"""`down` ends a fleet in whatever state it is."""

import shutil
import signal
import subprocess

import pytest

from local_fleet.broker import PrivateBroker
from local_fleet.identity import ProcessIdentity


def kill_supervisor(fleet):
    fleet.identity("supervisor").send(signal.SIGKILL)


def freeze_supervisor(fleet):
    fleet.identity("supervisor").send(signal.SIGSTOP)


def freeze_worker(fleet):
    fleet.identity("thumbnail-1").send(signal.SIGSTOP)


def delete_socket(fleet):
    fleet.folder.socket.unlink()


def delete_process_files_and_socket(fleet):
    shutil.rmtree(fleet.folder.processes)
    fleet.folder.socket.unlink()


def delete_everything(fleet):
    shutil.rmtree(fleet.folder.path)


def kill_supervisor_and_delete_everything(fleet):
    kill_supervisor(fleet)
    delete_everything(fleet)


def replace_socket_by_a_file(fleet):
    fleet.folder.socket.unlink()
    fleet.folder.socket.write_text("not a socket")


@pytest.mark.parametrize(
    "break_it",
    [
        kill_supervisor,
        freeze_supervisor,
        delete_socket,
        delete_process_files_and_socket,
        delete_everything,
        kill_supervisor_and_delete_everything,
        replace_socket_by_a_file,
    ],
)
def test_down_ends_a_fleet_that_was(stub_fleet, break_it):
    stub_fleet.mediaflow("up")
    break_it(stub_fleet)
    stub_fleet.mediaflow("down")
    assert stub_fleet.survivors() == []
    assert stub_fleet.mediaflow("down") == "nothing was running\n"


def test_down_ends_workers_that_hear_nothing(stub_fleet):
    stub_fleet.variables["MEDIAFLOW_GRACE_S"] = "0"
    stub_fleet.options["transcode"] = "--deaf"
    stub_fleet.mediaflow("up")
    freeze_worker(stub_fleet)
    said = stub_fleet.mediaflow("down")
    assert [line.split() for line in said.splitlines() if "killed" in line] in (
        [["transcode-1", "killed"], ["thumbnail-1", "killed"]],
        [["thumbnail-1", "killed"], ["transcode-1", "killed"]],
    )
    assert stub_fleet.survivors() == []


def test_down_ends_a_fleet_that_is_still_starting(stub_fleet, until):
    starting = stub_fleet.begin("up")
    until(stub_fleet.survivors, "the first process")
    stub_fleet.mediaflow("down")
    starting.communicate(timeout=60)
    stub_fleet.mediaflow("down")
    assert stub_fleet.survivors() == []


def test_up_ends_what_a_dead_fleet_left_behind(stub_fleet, until):
    stub_fleet.options["transcode"] = "--deaf"  # it outlives its supervisor
    stub_fleet.mediaflow("up")
    left = stub_fleet.identity("transcode-1")
    supervisor = stub_fleet.identity("supervisor")
    kill_supervisor(stub_fleet)
    until(lambda: not supervisor.is_alive(), "the supervisor's end")
    assert "transcode-1 (pid" in stub_fleet.mediaflow("status")
    left.send(signal.SIGSTOP)  # so that nobody waits for the deaf
    assert "transcode-1" in stub_fleet.mediaflow("up")
    assert not left.is_alive()
    assert stub_fleet.status()["transcode-1"]["pid"] != left.pid


def test_a_stale_process_file_does_no_harm_to_the_pids_new_owner(stub_fleet):
    bystander = subprocess.Popen(["sleep", "60"])
    try:
        identity = ProcessIdentity.of(bystander.pid)
        stub_fleet.folder.prepare()
        stub_fleet.folder.remember("thumbnail-1", ProcessIdentity(identity.pid, identity.started - 100))
        assert stub_fleet.mediaflow("down") == "nothing was running\n"
        assert bystander.poll() is None
    finally:
        bystander.kill()
        bystander.wait()


@pytest.mark.slow
@pytest.mark.parametrize("dead_broker", [False, True])
def test_down_ends_the_private_broker_last(stub_fleet, dead_broker, until):
    stub_fleet.amqp_url = None
    stub_fleet.mediaflow("up")
    node = ProcessIdentity.of(stub_fleet.status()["broker"]["pid"])
    if dead_broker:
        kill_supervisor(stub_fleet)
        PrivateBroker(stub_fleet.folder.broker).kill()
    else:
        node.send(signal.SIGKILL)
        until(lambda: stub_fleet.status()["broker"]["restarts"] == 1, "the broker's restart")
        until(lambda: stub_fleet.status()["broker"]["state"] == "ready", "the broker's return")
        assert stub_fleet.status()["broker"]["reason"].startswith("killed by SIGKILL")
    said = stub_fleet.mediaflow("down").splitlines()
    if not dead_broker:
        assert [line.split()[0] for line in said[-3:-1]] == ["ingest", "broker"]
    assert stub_fleet.survivors() == []
