import os
from pathlib import Path

import pytest

from media_common.cpus import available_cpus, cpus_per_job

_MASK = len(os.sched_getaffinity(0))


@pytest.mark.parametrize(
    ("quota", "cpus"),
    [("50000 100000", 1), ("100000 100000", 1), ("max 100000", _MASK), ("100000000 100000", _MASK), ("rubbish", _MASK)],
)
def test_a_containers_quota_bounds_the_processors(tmp_path: Path, quota: str, cpus: int) -> None:
    (tmp_path / "cpu.max").write_text(quota)

    assert available_cpus(tmp_path / "cpu.max") == cpus


def test_part_of_a_processor_counts_as_one_more(tmp_path: Path) -> None:
    (tmp_path / "cpu.max").write_text("110000 100000")

    assert available_cpus(tmp_path / "cpu.max") == min(2, _MASK)


def test_without_cgroups_the_schedulers_mask_counts(tmp_path: Path) -> None:
    assert available_cpus(tmp_path / "cpu.max") == _MASK


def test_jobs_at_once_share_the_processors_and_each_has_one() -> None:
    assert cpus_per_job(1) == available_cpus()
    assert cpus_per_job(10_000) == 1
