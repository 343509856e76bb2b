"""The planner's page: figures, what-ifs, an answer beside what really happens, and a setting to try."""

import re

import pytest
from playwright.sync_api import Page, expect

from browsing import SIZES, check_accessibility, check_width, take_picture

#: Two simulations' processes start for an answer, beside whatever else a busy machine does.
PATIENCE_MS = 60_000


@pytest.fixture
def planner(visitor) -> Page:
    page = visitor.open("/planner?channel=transcode")
    answered(page)
    return page


def answered(page: Page) -> None:
    """Wait until the newest question is answered, its search too."""
    expect(page.locator("#asking")).to_have_text(re.compile("^Asked at"), timeout=PATIENCE_MS)


def ask(page: Page, **fields: float) -> None:
    """Fill in fields of the form, and wait for the answer."""
    for name, value in fields.items():
        page.locator(f"#q-{name}").fill(str(value))
    expect(page.locator("#asking")).to_have_text("Simulating …", timeout=PATIENCE_MS)
    answered(page)


def test_figures_say_where_they_come_from(planner):
    figures = planner.locator("#figures")
    expect(figures).to_contain_text("A job takes")
    expect(figures).to_contain_text(re.compile("from the channels file|measured [\\d,]+ times"))
    assert planner.locator(".planner-channel[aria-current]").text_content().strip() == "transcode"


def test_a_burst_is_predicted_and_a_setting_that_keeps_the_aim_is_tried(planner):
    ask(planner, burst=300, burst_over_s=5, lag_s=20)
    expect(planner.locator("#headline")).to_have_text(re.compile(r"^The burst of 300 is gone in \d+"))
    assert planner.locator("#stat-cost").text_content() != "–"
    best = planner.locator(".choices-table .is-best")
    expect(best).to_contain_text("recommended")
    best.get_by_role("button", name=re.compile("^Ask with this setting")).click()
    answered(planner)
    assert planner.locator("[name=follows]").is_checked()
    expect(planner.locator("#stat-lag")).to_have_class(re.compile("is-good"))


def test_more_than_the_workers_can_do_is_said_in_plain_words(planner):
    ask(planner, arrival_per_s=50)
    expect(planner.locator("#headline")).to_have_text(re.compile("^The queue grows by .* for ever"))
    planner.get_by_role("button", name="As it is").click()
    answered(planner)
    expect(planner.locator("#headline")).to_have_text(re.compile("^(Nothing waits|The workers keep up)"))
    assert planner.locator("#q-arrival_per_s").input_value() == ""


def test_an_answer_is_accessible_and_fits(visitor):
    page = visitor.open("/planner", size="phone", theme="dark")
    answered(page)
    ask(page, burst=200, lag_s=15)
    for size, theme in (("phone", "dark"), ("desktop", "light")):
        page.set_viewport_size(dict(zip(("width", "height"), SIZES[size], strict=True)))
        page.emulate_media(color_scheme=theme)
        take_picture(page, f"planner-answer-{size}-{theme}")
        check_accessibility(page)
        check_width(page)
