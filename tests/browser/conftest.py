"""A real Chromium in front of a real console of a real fleet."""

import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

sys.path.insert(0, str(Path(__file__).parents[1]))  # for media_fixtures

from browsing import Visitor
from local_fleet.broker import BrokerAddress
from local_fleet.run_folder import RunFolder
from whole_fleet import WholeFleet

#: One worker of each channel, no file fsynced: quick to start, and enough to look at.
SMALL_FLEET = {
    "MEDIAFLOW_FLEET_CONSOLE": "on",
    "MEDIAFLOW_CONSOLE_DEBUG": "true",
    "MEDIAFLOW_FLEET_WORKERS": "thumbnail=1, transcode=1, subtitle=1",
    "MEDIAFLOW_PROFILE": "simulated",
    "MEDIAFLOW_STORE_FSYNC": "false",
    "MEDIAFLOW_INGEST_WORKERS": "1",
}


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    """Debian's Chromium, without a window."""
    program = shutil.which("chromium")
    if program is None:
        pytest.fail("the tests need Chromium: apt-get install chromium", pytrace=False)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=program, args=["--no-sandbox", "--disable-dev-shm-usage", "--force-color-profile=srgb"]
        )
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def new_console_fleet(
    tmp_path_factory: pytest.TempPathFactory, fleet_guard: None
) -> Iterator[Callable[..., WholeFleet]]:
    """Bring a small fleet with its console up; variables by keyword. It is ended after the module."""
    fleets = []

    def make(**variables: str) -> WholeFleet:
        folder = RunFolder.at(tmp_path_factory.mktemp("fleet") / ".run")
        fleets.append(WholeFleet(folder, SMALL_FLEET | variables))
        said = fleets[-1].mediaflow("up")
        assert "the console is up" in said, said
        return fleets[-1]

    yield make
    for fleet in fleets:
        fleet.end()


@pytest.fixture(scope="module")
def console_fleet(
    new_console_fleet: Callable[..., WholeFleet], broker: BrokerAddress, module_amqp_url: str
) -> WholeFleet:
    """One fleet for the tests of a file, on the broker of this test run."""
    return new_console_fleet(AMQP_URL=module_amqp_url, MEDIAFLOW_MANAGEMENT_URL=broker.management_url)


@pytest.fixture
def visitor(chromium: Browser, console_fleet: WholeFleet) -> Iterator[Visitor]:
    """Opens pages of the fleet's console: visitor.open("/assets", size="phone", theme="dark")."""
    someone = Visitor(chromium, console_fleet.console_url)
    yield someone
    someone.close()


@pytest.fixture
def desktop(visitor: Visitor) -> Page:
    """The first page, on a desk."""
    return visitor.open()


@pytest.fixture
def phone(visitor: Visitor) -> Page:
    """The first page, in a hand."""
    return visitor.open(size="phone")
