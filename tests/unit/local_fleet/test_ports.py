"""Ports are free, below the kernel's own, and given to one fleet at a time."""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from local_fleet import ports
from local_fleet.ports import free_ports, is_free


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where it is written down who was given what."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    return tmp_path / f"mediaflow-ports-{os.getuid()}"


def test_free_ports_lie_below_the_kernels_own():
    given = free_ports(20)
    assert len(set(given)) == 20
    assert all(15000 <= port < 32768 and is_free(port) for port in given)


def test_no_two_processes_are_given_the_same_port_though_nobody_listens_on_it_yet(kept, monkeypatch):
    monkeypatch.setattr(ports, "_ephemeral_low", lambda: 15040)
    program = (
        "from local_fleet import ports; ports._ephemeral_low = lambda: 15040; print(*ports.free_ports(4), flush=True)"
    )
    children = [
        subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True, env=os.environ)
        for _ in range(4)
    ]
    given = [port for child in children for port in child.communicate(timeout=60)[0].split()]
    given += [str(port) for port in free_ports(4)]
    assert len(set(given)) == 20


def test_a_reservation_ends_by_itself_and_damage_is_no_reservation(kept, monkeypatch):
    monkeypatch.setattr(ports, "_ephemeral_low", lambda: 15002)
    long_ago, later = time.time() - 1000, time.time() + 1000
    kept.write_text(f"15000 {long_ago}\n15001 {later}\nnonsense\n15000\n")
    assert set(free_ports(2)) == {15000, 15001}
    assert len(kept.read_text().splitlines()) == 2


def test_where_nothing_can_be_written_down_ports_are_given_all_the_same(kept):
    kept.symlink_to("/dev/null")
    assert len(set(free_ports(3))) == 3
