"""The fleet's page in front of a fleet that works, is paused, loses its broker and its console."""

import os
import re
import signal
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from browsing import Visitor, check_accessibility, check_width, take_picture, until
from whole_fleet import WholeFleet

#: Milliseconds for what takes the fleet some time: a worker's start, a broker's.
SLOW_MS = 90_000

#: A whole number as the page writes it: 1,001.
NUMBER = r"\d+(?:,\d{3})*"


@pytest.fixture(scope="module", autouse=True)
def patience() -> Iterator[None]:
    """A busy machine is slow."""
    expect.set_options(timeout=30_000)
    yield
    expect.set_options(timeout=5_000)


@pytest.fixture(scope="module")
def console_fleet(new_console_fleet: Callable[..., WholeFleet]) -> WholeFleet:
    """A fleet on a private broker of its own, which may be killed."""
    return new_console_fleet()


@pytest.fixture
def visitor(chromium: Browser, console_fleet: WholeFleet) -> Iterator[Visitor]:
    someone = Visitor(chromium, console_fleet.console_url)
    yield someone
    someone.close()


def row(page: Page, channel: str):
    return page.locator(f'tr[data-channel="{channel}"]')


def agree(page: Page, *, says: str | re.Pattern[str], **fields: int) -> None:
    """Read the question, answer it, and go on."""
    dialog = page.locator("dialog")
    expect(dialog).to_contain_text(says)
    for name, value in fields.items():
        dialog.locator(f'input[name="{name}"]').fill(str(value))
    dialog.locator('button[value="yes"]').click()
    expect(dialog).to_have_count(0)


def count(page: Page, channel: str, cell: str) -> int:
    return int(row(page, channel).locator(cell).inner_text().replace(",", "") or -1)


def paused(page: Page, channel: str):
    return row(page, channel).locator(".row-state").get_by_text("Paused")


def test_a_burst_a_pause_and_going_on(visitor: Visitor):
    """The article's scenarios 2 and 7, by hand."""
    page = visitor.open()
    for channel in ("thumbnail", "transcode", "subtitle"):
        expect(row(page, channel).locator(".workers-text")).to_contain_text("1 of 1", timeout=SLOW_MS)
    expect(page.locator("#live")).to_have_text("Live")

    page.get_by_role("button", name="Burst").click()
    check_accessibility(page)
    agree(page, says="every channel gets all of them", count=400)
    expect(page.locator("#last-action")).to_contain_text("Burst of 400 assets sent")
    until(page, lambda: count(page, "transcode", ".ready") > 300, "the hill of transcode")
    expect(row(page, "transcode").locator(".row-state")).not_to_have_text("Quiet")
    until(page, lambda: row(page, "transcode").locator(".lag").inner_text() != "0s", "a lag")
    expect(page.locator("#fleet-summary")).to_contain_text("transcode")
    # The chart's samples come a moment after the row's figures.
    expect(page.locator("#chart-ready .chart-area")).to_have_attribute("aria-label", re.compile("transcode: "))

    row(page, "transcode").get_by_role("button", name="Pause transcode").click()
    # Between two jobs they hold none, and the question does not speak of any.
    agree(page, says=re.compile(rf"(finish the {NUMBER} messages? they hold and|Workers) take nothing new"))
    expect(paused(page, "transcode")).to_be_visible(timeout=SLOW_MS)
    expect(paused(page, "thumbnail")).to_have_count(0)
    page.get_by_role("button", name="Pause all").click()
    agree(page, says="Pause all channels?")
    for channel in ("thumbnail", "subtitle"):
        expect(paused(page, channel)).to_be_visible(timeout=SLOW_MS)
    until(page, lambda: count(page, "transcode", ".unacked") == 0, "what was in flight")
    page.get_by_role("button", name="Burst").click()
    agree(page, says="Simulated assets", count=100)
    until(page, lambda: count(page, "thumbnail", ".ready") == 100, "a queue that takes the load")
    expect(page.locator("#fleet-summary")).to_contain_text("All channels are paused")
    expect(page.locator("#last-action")).to_contain_text("Burst of 100 assets sent · local")
    take_picture(page, "fleet-paused-desktop-light")

    page.get_by_role("button", name="Resume all").click()
    agree(page, says=re.compile(rf"3 workers go on with the {NUMBER} messages that wait"))
    until(page, lambda: count(page, "thumbnail", ".ready") == 0, "thumbnail drained")
    for size, theme in (("desktop", "dark"), ("phone", "light"), ("wall", "dark")):
        other = visitor.open("/?wall=1" if size == "wall" else "/", size=size, theme=theme)
        expect(row(other, "subtitle").locator(".row-state")).not_to_be_empty()
        expect(other.locator("#chart-ready .chart-name, #chart-ready .channel").first).to_be_attached()
        check_width(other)
        check_accessibility(other)
        take_picture(other, f"fleet-resumed-{size}-{theme}")
        other.context.close()


def test_a_channel_is_scaled_by_hand(visitor: Visitor):
    page = visitor.open()
    row(page, "subtitle").get_by_role("button", name="Scale subtitle").click()
    agree(page, says="Fewer: the others finish what they hold first", count=2)
    expect(row(page, "subtitle").locator(".workers-text")).to_contain_text("2 of 2", timeout=SLOW_MS)
    expect(row(page, "subtitle").locator(".pips .on")).to_have_count(2)
    expect(page.locator("#last-action")).to_contain_text("subtitle scaled to 2 · local")
    row(page, "subtitle").get_by_role("button", name="Scale subtitle").click()
    page.locator("dialog").get_by_role("button", name="Cancel").click()
    expect(page.locator("dialog")).to_have_count(0)


def test_the_cursor_is_one_for_all_charts_and_moves_by_keys(visitor: Visitor):
    page = visitor.open()
    until(page, lambda: page.evaluate("document.querySelectorAll('.chart-area canvas').length") == 6, "charts")
    page.wait_for_function("document.querySelector('#chart-ready .chart-area').ariaLabel.includes('transcode')")
    page.locator("#chart-ready .chart-area").focus()
    page.keyboard.press("ArrowLeft")
    for name in ("ready", "working", "deadLetters"):
        expect(page.locator(f"#chart-{name} .chart-moment")).to_have_text(re.compile(r"\d\d:\d\d:\d\d"))
    toggle = page.locator("#chart-channels").get_by_role("button", name="thumbnail")
    toggle.click()
    expect(toggle).to_have_attribute("aria-pressed", "false")
    expect(page.locator("#chart-ready .chart-entry").first).to_be_hidden()


def test_a_broker_that_dies_under_an_open_page_is_said_to_be_gone_and_comes_back(
    visitor: Visitor, console_fleet: WholeFleet
):
    page = visitor.open()
    expect(page.locator("#live")).to_have_text("Live")
    os.kill(console_fleet.status()["processes"]["broker"]["pid"], signal.SIGKILL)
    notice = page.locator("#notices .notice.bad")
    expect(notice).to_contain_text(re.compile(r"The broker has not answered since \d+:\d\d:\d\d"))
    expect(notice).to_contain_text("This page goes on trying by itself")
    expect(page.locator("body")).to_have_class(re.compile("stale"))
    expect(page.locator("#live")).to_have_text("Live")  # the console is there
    take_picture(page, "fleet-broker-gone-desktop-light")
    expect(notice).to_have_count(0, timeout=SLOW_MS)
    expect(page.locator("body")).not_to_have_class(re.compile("stale"))
    expect(row(page, "thumbnail").locator(".workers-text")).to_contain_text("1 of 1", timeout=SLOW_MS)


def test_a_console_that_dies_under_an_open_page_is_said_to_be_gone_and_the_page_goes_on_with_its_successor(
    visitor: Visitor, console_fleet: WholeFleet
):
    page = visitor.open()
    expect(page.locator("#live")).to_have_text("Live")
    visitor.expects_failures = True
    os.kill(console_fleet.status()["processes"]["console"]["pid"], signal.SIGKILL)
    expect(page.locator("#live")).to_have_text("No news")
    expect(page.locator("#notices .notice.bad")).to_contain_text("The console has not answered since")
    expect(page.locator("#live")).to_have_text("Live", timeout=SLOW_MS)
    expect(page.locator("#notices .notice.bad")).to_have_count(0)


def test_a_hidden_tab_keeps_no_connection(visitor: Visitor, console_fleet: WholeFleet):
    page = visitor.open()
    expect(page.locator("#live")).to_have_text("Live")
    hide = "Object.defineProperty(document, 'hidden', {value: %s, configurable: true});"
    hide += "document.dispatchEvent(new Event('visibilitychange'))"
    page.evaluate(hide % "true")
    expect(page.locator("#live")).to_have_text("Resting")
    until(page, lambda: viewers(page) == 0, "the end of its stream")
    page.evaluate(hide % "false")
    expect(page.locator("#live")).to_have_text("Live")


def viewers(page: Page) -> float:
    return float(re.search(r"^mediaflow_console_viewers (\S+)", page.request.get("/metrics").text(), re.MULTILINE)[1])
