"""The scenarios are programs, not a package that is installed; the tests of a file share one fleet."""

import io
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from local_fleet.broker import BrokerAddress
from local_fleet.run_folder import RunFolder

sys.path.insert(0, str(Path(__file__).parent))

from mediaflow_scenarios.fleet import ScenarioFleet
from mediaflow_scenarios.page import Page
from mediaflow_scenarios.play import play
from mediaflow_scenarios.sizes import QUICK
from mediaflow_scenarios.vhost import own_vhost

#: Processes that would show nothing more and take this machine's time: thumbnails beyond the fewest, and some of
#: those that are killed in scenario 4.
LESS = (
    ("workers = { min = 4, max = 16 }", "workers = { min = 4, max = 4 }"),
    ("delivery_limit = 5", "delivery_limit = 2"),
)


@pytest.fixture(scope="module")
def fleet(
    broker: BrokerAddress, tmp_path_factory: pytest.TempPathFactory, ffmpeg: Path, fleet_guard: None
) -> Iterator[ScenarioFleet]:
    """A fleet in the simulated profile on a virtual host of its own."""
    with own_vhost(broker) as address:
        folder = RunFolder.at(tmp_path_factory.mktemp("scenarios") / ".run")
        fleet = ScenarioFleet(folder, address, QUICK.cooldown_s, LESS)
        try:
            fleet.up()
            yield fleet
        finally:
            fleet.down()


@pytest.fixture
def passes(fleet: ScenarioFleet) -> Callable[[str], str]:
    """Play a scenario with small counts; it fails the test with everything that it printed. Gives what it printed."""

    def check(number: str) -> str:
        said = io.StringIO()
        verdict = play(number, fleet, QUICK, Page(said))
        assert verdict.passed, said.getvalue()
        return said.getvalue()

    return check
