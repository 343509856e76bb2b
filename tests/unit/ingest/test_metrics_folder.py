"""Where the numbers of ingest's processes lie, and that no killed ingest leaves its folder for good."""

import fcntl
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from ingest.metrics_folder import VARIABLE, prepare_metrics_folder, remove_metrics_folder

LONG_AGO = 1_000_000


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setenv(VARIABLE, "")
    yield tmp_path


def left_behind(parent: Path, name: str) -> Path:
    folder = parent / f"mediaflow-ingest-metrics-{name}"
    folder.mkdir()
    (folder / "counter_1.db").touch()
    (folder / "in-use").touch()
    os.utime(folder, (LONG_AGO, LONG_AGO))
    return folder


def test_each_start_has_a_fresh_folder_that_goes_with_it(temporary: Path):
    prepare_metrics_folder()
    folder = Path(os.environ[VARIABLE])
    assert folder.parent == temporary
    assert not list(folder.glob("*.db"))
    remove_metrics_folder()
    assert not list(temporary.iterdir())


def test_a_start_removes_what_a_killed_one_left(temporary: Path):
    deserted = left_behind(temporary, "killed")
    prepare_metrics_folder()
    assert not deserted.exists()


def test_a_start_leaves_alone_what_is_in_use_and_what_is_only_just_made(temporary: Path):
    used = left_behind(temporary, "used")
    young = temporary / "mediaflow-ingest-metrics-young"
    young.mkdir()
    strange = temporary / "of-somebody-else"
    strange.mkdir()
    with (used / "in-use").open() as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        prepare_metrics_folder()
    assert (used / "counter_1.db").exists()
    assert young.exists() and strange.exists()


def test_a_named_folder_is_used_and_emptied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    named = tmp_path / "numbers"
    named.mkdir()
    (named / "counter_7.db").touch()
    monkeypatch.setenv(VARIABLE, str(named))
    prepare_metrics_folder()
    assert not list(named.iterdir())
