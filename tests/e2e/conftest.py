"""Makes whole fleets with their real services and brokers of their own."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from local_fleet.clip_run import bundled_clip
from local_fleet.run_folder import RunFolder
from whole_fleet import WholeFleet


@pytest.fixture(scope="module")
def new_fleet(
    tmp_path_factory: pytest.TempPathFactory, ffmpeg: Path, fleet_guard: None
) -> Iterator[Callable[..., WholeFleet]]:
    """Make a fleet from environment variables; it is ended after the module."""
    fleets = []

    def make(variables: dict[str, str]) -> WholeFleet:
        fleets.append(WholeFleet(RunFolder.at(tmp_path_factory.mktemp("fleet") / ".run"), variables))
        return fleets[-1]

    yield make
    for fleet in fleets:
        fleet.end()


@pytest.fixture(scope="session")
def clip(ffmpeg: Path) -> Path:
    """The bundled clip: 33 s with speech."""
    return bundled_clip()
