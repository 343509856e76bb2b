from pathlib import Path

import other_process
import pytest

from media_common.scratch import scratch_folder, sweep


def test_a_scratch_folder_is_gone_however_its_block_ends(tmp_path: Path) -> None:
    root = tmp_path / "not" / "there" / "yet"
    with scratch_folder(root) as folder:
        (folder / "deep").mkdir()
        (folder / "deep" / "file").write_text("x")
    with pytest.raises(KeyError), scratch_folder(root) as folder:
        raise KeyError

    assert list(root.iterdir()) == []


_JOB_UNTIL_KILLED = """
import subprocess, sys, time
from pathlib import Path
from media_common.scratch import scratch_folder
with scratch_folder(Path(sys.argv[1])) as folder:
    (folder / "file").write_text("x")
    print("in", flush=True)
    time.sleep(60)
"""


def test_the_folder_of_a_killed_process_is_swept_and_that_of_a_living_one_is_not(tmp_path: Path) -> None:
    process = other_process.start(_JOB_UNTIL_KILLED, tmp_path)
    assert other_process.said(process) == "in"
    assert sweep(tmp_path, grace_s=0) == 0
    assert len(list(tmp_path.iterdir())) == 1

    process.kill()
    process.communicate()

    assert sweep(tmp_path) == 0  # too young to judge
    assert sweep(tmp_path, grace_s=0) == 1
    assert list(tmp_path.iterdir()) == []


def test_what_is_not_ours_is_not_swept(tmp_path: Path) -> None:
    (tmp_path / "holiday").mkdir()
    (tmp_path / "mediaflow-job-file").write_text("x")

    assert sweep(tmp_path, grace_s=0) == 0
    assert len(list(tmp_path.iterdir())) == 2
