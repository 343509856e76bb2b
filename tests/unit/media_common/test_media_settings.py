from pathlib import Path

import pytest
from pydantic import ValidationError

from media_common.settings import MediaSettings, StoreSettings


@pytest.mark.parametrize("url", ["file:///var/store", "file://localhost/var/store", "s3://bucket", "s3://bucket/a/b"])
def test_a_folder_or_a_bucket_is_a_store(monkeypatch: pytest.MonkeyPatch, url: str) -> None:
    monkeypatch.setenv("MEDIAFLOW_STORE_URL", url)

    assert StoreSettings().store_url == url


@pytest.mark.parametrize("url", ["", "/var/store", "file://relative/x", "file:relative", "s3://", "http://host/x"])
def test_anything_else_is_refused_by_name(monkeypatch: pytest.MonkeyPatch, url: str) -> None:
    monkeypatch.setenv("MEDIAFLOW_STORE_URL", url)

    with pytest.raises(ValidationError, match="store_url"):
        StoreSettings()


def test_limits_come_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEDIAFLOW_MEDIA_MEMORY_LIMIT_MB", "300")
    monkeypatch.setenv("MEDIAFLOW_MEDIA_MAX_PIXELS", "1000")
    monkeypatch.setenv("MEDIAFLOW_MEDIA_SCRATCH_DIR", "/scratch")

    settings = MediaSettings()

    assert (settings.memory_limit_mb, settings.max_pixels, settings.scratch_dir) == (300, 1000, Path("/scratch"))


@pytest.mark.parametrize("name", ["MEMORY_LIMIT_MB", "MAX_PIXELS", "MAX_DURATION_S", "PROBE_TIME_LIMIT_S"])
def test_a_limit_of_nothing_is_refused(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv(f"MEDIAFLOW_MEDIA_{name}", "0")

    with pytest.raises(ValidationError, match=name.lower()):
        MediaSettings()
