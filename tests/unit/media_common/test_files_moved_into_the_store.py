import errno
from pathlib import Path

import pytest

from media_common.settings import StoreSettings
from media_common.store import open_store


def other_mount(_path: Path, _target: Path) -> Path:
    raise OSError(errno.EXDEV, "Invalid cross-device link")


def test_a_file_from_another_mount_of_the_same_file_system_is_copied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    store = open_store(StoreSettings(store_url=f"file://{tmp_path}/store"))
    made = tmp_path / "poster.jpg"
    made.write_bytes(b"picture")
    monkeypatch.setattr(Path, "replace", other_mount)  # as rename(2) between two volumes of a container

    store.put_file("assets/a/thumbnail/poster.jpg", made, "image/jpeg", consume=True)

    assert store.fetch("assets/a/thumbnail/poster.jpg", tmp_path).read_bytes() == b"picture"
    assert not made.exists()
