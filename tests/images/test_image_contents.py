"""What is in the images, and what is not."""

import json
import re

import pytest

from container_fleet import CHANNELS, ROOT, SERVICES, image_of
from docker_engine import Engine

ALL = (*SERVICES, "load")
MB = 1_000_000
LIMITS = dict.fromkeys(("ingest", "console", "replayer", "load"), 220 * MB) | {
    "thumbnail": 750 * MB,
    "transcode": 750 * MB,
    # Speech engine 300 MB, its model 75 MB.
    "subtitle": 1000 * MB,
}


def locked(file: str) -> dict[str, set[str]]:
    """Names and versions of a lock file; a package may have one version for each range of Pythons."""
    found: dict[str, set[str]] = {}
    for name, version in re.findall(r"^([A-Za-z0-9._-]+)==([^ \\;]+)", (ROOT / file).read_text(), re.MULTILINE):
        found.setdefault(re.sub(r"[-_.]+", "-", name).lower(), set()).add(version)
    return found


@pytest.mark.parametrize("service", ALL)
def test_an_image_says_what_it_is(engine: Engine, service: str):
    labels = engine.inspect(image_of(service), "image")["Config"]["Labels"]
    said = {key.removeprefix("org.opencontainers.image."): value for key, value in labels.items()}
    assert said["title"] == f"mediaflow-{service}"
    assert said["version"] == "0.1.0"
    assert said["licenses"] == "MIT"
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", said["created"])
    assert re.fullmatch(r"[0-9a-f]{40}(-dirty)?|unknown", said["revision"])
    assert re.match(r"https?://[^@]+$|unknown$", said["source"])
    assert said["description"]


def test_the_image_of_subtitle_names_its_speech_model(engine: Engine):
    assert engine.inspect(image_of("subtitle"), "image")["Config"]["Labels"]["mediaflow.speech-model"]


@pytest.mark.parametrize("service", ALL)
def test_an_image_is_no_larger_than_it_may_be(engine: Engine, service: str):
    assert engine.inspect(image_of(service), "image")["Size"] <= LIMITS[service]


@pytest.mark.parametrize("service", ALL)
def test_an_image_runs_as_a_fixed_user_and_without_a_shell(engine: Engine, service: str):
    config = engine.inspect(image_of(service), "image")["Config"]
    assert config["User"] == "10001:10001"
    program, *_, started = config["Entrypoint"]
    assert program == "/usr/bin/tini"
    assert started.startswith("/opt/mediaflow/")
    assert not config["Cmd"] or config["Cmd"] == ["bash"]


@pytest.mark.parametrize("service", ALL)
def test_no_pip_no_compiler_and_no_cache_is_left(engine: Engine, service: str):
    code = """
import importlib.util, json, os, shutil
tools = [each for each in ("pip", "pip3", "uv", "gcc", "cc", "g++", "make", "ld", "git") if shutil.which(each)]
modules = [each for each in ("pip", "setuptools", "hatchling") if importlib.util.find_spec(each)]
folders = ["/root/.cache", "/var/lib/apt/lists", "/var/cache/apt", "/build", "/layers", "/tools"]
left = [each for each in folders if os.path.isdir(each) and os.access(each, os.R_OK) and os.listdir(each)]
mine = [os.path.join(top, each) for top, _, files in os.walk("/opt/mediaflow") for each in files
        if os.access(os.path.join(top, each), os.W_OK)]
print(json.dumps([tools, modules, left, mine]))
"""
    assert json.loads(engine.python(image_of(service), code)) == [[], [], [], []]


@pytest.mark.parametrize("service", ALL)
def test_its_packages_have_the_versions_of_the_lock(engine: Engine, service: str):
    code = "import importlib.metadata as m, json; print(json.dumps({d.name: d.version for d in m.distributions()}))"
    installed = json.loads(engine.python(image_of(service), code))
    versions = locked("requirements-dev.lock" if service == "load" else "requirements.lock")
    foreign = {name: version for name, version in installed.items() if not name.startswith("mediaflow")}
    assert foreign
    for name, version in foreign.items():
        assert version in versions[re.sub(r"[-_.]+", "-", name).lower()], name


@pytest.mark.parametrize("service", ALL)
def test_only_what_touches_media_has_ffmpeg(engine: Engine, service: str):
    code = "import shutil; print(bool(shutil.which('ffmpeg')) and bool(shutil.which('ffprobe')))"
    assert engine.python(image_of(service), code).strip() == str(service in CHANNELS)


@pytest.mark.parametrize("service", ALL)
def test_how_it_was_built_leaves_no_trace(engine: Engine, service: str):
    told = json.dumps(engine.inspect(image_of(service), "image")["Config"])
    told += engine("history", "--no-trunc", "--format", "{{.CreatedBy}}", image_of(service))
    assert not re.search(r"PIP_|INDEX_URL|PROXY|SOURCE_DATE", told, re.IGNORECASE)
    assert not re.search(r"https?://(?!deb\.debian\.org)", told.replace("https://github.com", ""))
