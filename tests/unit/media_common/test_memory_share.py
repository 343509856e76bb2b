from pathlib import Path

import pytest

from media_common.memory_share import within_container
from media_common.settings import MediaSettings


def limit_of(folder: Path, text: str) -> list[Path]:
    (folder / "memory.max").write_text(text)
    return [folder / "memory.max", folder / "of-version-1"]


@pytest.mark.parametrize(
    ("container_mb", "concurrency", "child_mb"),
    [(1024, 1, 864), (1024, 2, 432), (512, 1, 352), (1024, 20, 256), (320, 4, 160)],
)
def test_jobs_share_what_the_worker_leaves_of_a_containers_memory(
    tmp_path: Path, container_mb: int, concurrency: int, child_mb: int
) -> None:
    settings = within_container(
        MediaSettings(), concurrency, usual_mb=256, limits=limit_of(tmp_path, f"{container_mb * 2**20}\n")
    )

    assert settings.memory_limit_mb == child_mb


def test_a_container_with_room_leaves_the_usual_limit(tmp_path: Path) -> None:
    settings = within_container(MediaSettings(), 1, usual_mb=256, limits=limit_of(tmp_path, str(64 * 2**30)))

    assert settings.memory_limit_mb == MediaSettings().memory_limit_mb


def test_what_somebody_has_set_is_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEDIAFLOW_MEDIA_MEMORY_LIMIT_MB", "3000")

    settings = within_container(MediaSettings(), 1, usual_mb=256, limits=limit_of(tmp_path, str(2**30)))

    assert settings.memory_limit_mb == 3000


@pytest.mark.parametrize("text", ["max\n", "rubbish", ""])
def test_without_a_limit_the_usual_one_holds(tmp_path: Path, text: str) -> None:
    assert within_container(MediaSettings(), 1, usual_mb=256, limits=limit_of(tmp_path, text)) == MediaSettings()


def test_control_groups_of_version_1_are_read_too(tmp_path: Path) -> None:
    (tmp_path / "limit_in_bytes").write_text(str(2**30))

    settings = within_container(
        MediaSettings(), 1, usual_mb=256, limits=[tmp_path / "memory.max", tmp_path / "limit_in_bytes"]
    )

    assert settings.memory_limit_mb == 864


def test_a_child_has_something_in_the_smallest_container(tmp_path: Path) -> None:
    settings = within_container(MediaSettings(), 4, usual_mb=256, limits=limit_of(tmp_path, str(200 * 2**20)))

    assert settings.memory_limit_mb == 128
