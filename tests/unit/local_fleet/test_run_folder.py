"""The fleet's folder and the identity of processes."""

import os

import pytest

from local_fleet.control import socket_address
from local_fleet.errors import FleetError
from local_fleet.identity import ProcessIdentity
from local_fleet.run_folder import RunFolder


def test_a_recycled_pid_is_not_taken_for_the_process_it_was(tmp_path):
    folder = RunFolder(tmp_path)
    myself = ProcessIdentity.of(os.getpid())
    folder.remember("me", myself)
    folder.remember("somebody-before-me", ProcessIdentity(myself.pid, myself.started - 1))
    assert folder.remembered() == {"me": myself}
    assert not ProcessIdentity(myself.pid, myself.started - 1).send(0)


def test_broken_process_files_are_passed_over(tmp_path):
    folder = RunFolder(tmp_path)
    folder.processes.mkdir()
    for name, text in {"half": '{"pid": 1', "list": "[]", "wrong": '{"pid": 1}', "empty": ""}.items():
        (folder.processes / f"{name}.json").write_text(text)
    assert folder.remembered() == {}


def test_a_folder_that_cannot_be_made_is_one_clear_line(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(FleetError, match="MEDIAFLOW_FLEET_FOLDER"):
        RunFolder(tmp_path / "file" / ".run").prepare()


def test_an_overgrown_log_is_set_aside(tmp_path, monkeypatch):
    monkeypatch.setattr("local_fleet.run_folder._LOG_SIZE", 3)
    folder = RunFolder(tmp_path)
    folder.prepare()
    (folder.logs / "a.log").write_text("1234")
    assert folder.log_of("a") == folder.logs / "a.log"
    assert not (folder.logs / "a.log").exists()
    assert (folder.logs / "a.log.1").read_text() == "1234"


def test_a_socket_deep_down_still_has_a_short_address(tmp_path):
    deep = tmp_path / ("x" * 120)
    deep.mkdir()
    with socket_address(deep / "fleet.sock") as address:
        assert len(address) < 100
    with socket_address(tmp_path / "s") as address:
        assert address == str(tmp_path / "s")
