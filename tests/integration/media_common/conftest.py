"""Both kinds of store: a folder, and a real S3 service (moto's server) on a free port."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
sys.path.insert(0, str(Path(__file__).resolve().parent))

from job_doubles import UploadEvent, poster, uploaded

from media_common.job import ChannelJob
from media_common.settings import MediaSettings, StoreSettings
from media_common.store import MediaStore, open_store
from media_fixtures.cache import FixtureCache
from media_fixtures.plugin import media_fixtures, silent_listener  # noqa: F401
from s3_service import S3Service


@pytest.fixture(scope="session")
def s3_server() -> Iterator[S3Service]:
    service = S3Service()
    yield service
    service.close()


@pytest.fixture
def s3(s3_server: S3Service, monkeypatch: pytest.MonkeyPatch) -> Iterator[S3Service]:
    """The service, with an empty bucket and the variables that lead to it."""
    for name, value in s3_server.environment().items():
        monkeypatch.setenv(name, value)
    s3_server.make_bucket()
    yield s3_server
    s3_server.remove_bucket()


@pytest.fixture
def local_store(tmp_path: Path) -> MediaStore:
    return open_store(StoreSettings(store_url=f"file://{tmp_path}/store"))


@pytest.fixture
def s3_store(s3: S3Service) -> MediaStore:
    return open_store(StoreSettings(store_url=s3.url))


@pytest.fixture(params=["local", "s3"])
def store(request: pytest.FixtureRequest) -> MediaStore:
    """Each kind in turn."""
    found = request.getfixturevalue(f"{request.param}_store")
    assert isinstance(found, MediaStore)
    return found


@pytest.fixture
def settings(tmp_path: Path) -> MediaSettings:
    return MediaSettings(scratch_dir=tmp_path / "scratch", threads=1)


@pytest.fixture
def event(store: MediaStore, media_fixtures: FixtureCache) -> UploadEvent:  # noqa: F811
    """A small video, uploaded."""
    return uploaded(store, media_fixtures["small"])


@pytest.fixture
def job(store: MediaStore, settings: MediaSettings) -> ChannelJob:
    """A job that does a small piece of real work."""
    return ChannelJob(store, "thumbnail", poster, settings=settings)
