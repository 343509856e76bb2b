"""A Docker engine, the images on it, and a fleet made of them. What is missing fails the tests; nothing is skipped."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from container_fleet import SERVICES, ContainerFleet, broker_image, image_of
from docker_engine import Engine, EngineError
from local_fleet.clip_run import bundled_clip

HINT = "an engine that DOCKER_HOST names, or the one of this machine; Debian's package is docker.io"


@pytest.fixture(scope="session")
def bare_engine() -> Iterator[Engine]:
    """An engine that answers; what was started on it here is removed at the end."""
    engine = Engine()
    try:
        engine("version", "--format", "{{.Server.Version}}")
    except EngineError as error:
        pytest.fail(f"these tests need a Docker engine ({HINT}): {error}", pytrace=False)
    yield engine
    engine.remove_all()


@pytest.fixture(scope="session")
def engine(bare_engine: Engine) -> Engine:
    """An engine with the images on it."""
    missing = [image for image in map(image_of, [*SERVICES, "load"]) if not has(bare_engine, image)]
    if missing:
        pytest.fail(f"not built yet: {', '.join(missing)}; make images builds them", pytrace=False)
    return bare_engine


@pytest.fixture(scope="session")
def fleet(engine: Engine) -> ContainerFleet:
    """A fleet with every service, ready."""
    if not has(engine, broker_image()):
        try:
            engine("pull", "--quiet", broker_image(), timeout_s=600)
        except EngineError as error:
            pytest.fail(f"no image of a broker, RABBITMQ_IMAGE names another: {error}", pytrace=False)
    fleet = ContainerFleet(engine)
    fleet.start()
    return fleet


@pytest.fixture(scope="session")
def clip(ffmpeg: Path) -> Path:
    """The bundled clip: 33 s with speech."""
    return bundled_clip()


def has(engine: Engine, image: str) -> bool:
    """Whether the engine has this image."""
    try:
        engine.inspect(image, "image")
    except EngineError:
        return False
    return True
