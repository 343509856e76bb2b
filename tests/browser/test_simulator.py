"""The simulator in a browser: presets show what their words say, and everything that can be turned turns something."""

import re

import pytest
from playwright.sync_api import Page

from browsing import Visitor, check_accessibility, check_width, take_picture, until
from console_process import ConsoleProcess

FASTEST = 20


def reading(page: Page, name: str) -> float:
    """Give a number of the strip as the page knows it."""
    value = page.locator(f'.readings [data-reading="{name}"]').first.get_attribute("data-value")
    return float(value or "nan")


def clock(page: Page) -> float:
    minutes, seconds = page.locator("#clock").text_content().split(":")
    return int(minutes) * 60 + float(seconds)


def slide(page: Page, name: str, value: float) -> None:
    page.locator(f'#controls [name="{name}"]').fill(str(value))


def press(page: Page, name: str, value: str) -> None:
    page.locator(f'#controls [name="{name}"][value="{value}"]').check(force=True)


def watch(page: Page, preset: str, speed: int = FASTEST) -> None:
    """Begin a preset and play it fast."""
    page.locator("#speed").fill(str(speed))
    with page.expect_response("**/simulator/runs") as begun:
        page.locator(f'[data-preset="{preset}"]').click()
    run = begun.value.json()["id"]
    until(page, lambda: page.locator("#sim").get_attribute("data-run") == run, "the new simulation's first numbers")
    assert page.locator(f'[data-watch="{preset}"]').is_visible()


def shows(page: Page, what: str, condition) -> None:
    until(page, condition, what)


@pytest.fixture(scope="module")
def console(tmp_path_factory, broker, module_amqp_url):
    """A console without a fleet: the simulator needs none."""
    process = ConsoleProcess(tmp_path_factory.mktemp("console"), module_amqp_url, broker.management_url)
    yield process.await_ready()
    process.stop()


@pytest.fixture(scope="module")
def teacher(chromium, console):
    """Who has the page open that most tests of this file look at."""
    someone = Visitor(chromium, console.url)
    yield someone
    someone.close()


@pytest.fixture(scope="module")
def simulator(teacher):
    """That page."""
    return teacher.open("/simulator")


@pytest.fixture
def visitor(chromium, console):
    """Others, who open it on other devices."""
    someone = Visitor(chromium, console.url)
    contexts = list(chromium.contexts)
    yield someone
    for context in chromium.contexts:
        if context not in contexts:
            context.close()
    assert not someone.complaints, "\n".join(someone.complaints)


def test_keeping_up_keeps_depth_and_lag_near_nothing(simulator):
    watch(simulator, "keeping-up")
    shows(simulator, "twenty simulated seconds", lambda: clock(simulator) > 20)
    assert reading(simulator, "depth") < 8
    assert reading(simulator, "lag_s") < 0.3
    assert reading(simulator, "done") > 300


def test_too_much_makes_depth_and_lag_climb(simulator):
    watch(simulator, "too-much")
    shows(simulator, "a climb", lambda: reading(simulator, "depth") > 100 and reading(simulator, "lag_s") > 2)
    # the cue moved the slider, too
    assert simulator.locator('#controls [name="rate"]').input_value() == "48"


def test_back_pressure_slows_and_drops_nothing(simulator):
    watch(simulator, "back-pressure")
    shows(simulator, "slowed producers", lambda: clock(simulator) > 25 and reading(simulator, "throttle") > 0.4)
    assert reading(simulator, "depth") < 300
    assert reading(simulator, "dropped") == 0
    take_picture(simulator, "simulator-back-pressure-desktop-light")


def test_without_it_a_full_queue_drops(simulator):
    watch(simulator, "dropping")
    shows(simulator, "drops", lambda: reading(simulator, "dropped") > 100)
    assert reading(simulator, "depth") > 290
    assert "is-bad" in simulator.locator('.readings [data-reading="dropped"]').get_attribute("class")


def test_with_keda_lag_jumps_and_recovers(simulator):
    watch(simulator, "keda", speed=6)
    shows(simulator, "a jump", lambda: reading(simulator, "lag_s") > 1.5)
    assert reading(simulator, "wanted") > 2
    shows(simulator, "more consumers", lambda: reading(simulator, "running") >= 5)
    shows(simulator, "recovery", lambda: reading(simulator, "lag_s") < 0.3)
    take_picture(simulator, "simulator-keda-desktop-light")


def test_by_cpu_two_consumers_stay_two(simulator):
    watch(simulator, "cpu", speed=8)
    shows(simulator, "a lag that climbs", lambda: reading(simulator, "lag_s") > 5)
    assert reading(simulator, "wanted") == 2
    assert reading(simulator, "cpu") < 0.15


def test_without_a_cool_down_consumers_flap_and_with_it_they_settle(simulator):
    heights = {}
    for preset in ("flapping", "patient"):
        watch(simulator, preset, speed=12)
        shows(simulator, "its beginning", lambda: 20 < clock(simulator) < 30)
        seen = set()
        while clock(simulator) < 45:
            seen.add(reading(simulator, "running"))
            simulator.wait_for_timeout(60)
        heights[preset] = seen
    assert len(heights["flapping"]) > 2
    assert len(heights["patient"]) <= 2


def test_transient_failures_succeed_mostly_at_the_second_try(simulator):
    watch(simulator, "transient")
    shows(simulator, "retries", lambda: reading(simulator, "retries") > 60)
    assert reading(simulator, "second_try") > 0.7
    assert reading(simulator, "dead") <= 3


def test_poison_ends_as_dead_letters_or_never(simulator):
    watch(simulator, "poison", speed=8)
    shows(simulator, "consumers that hang", lambda: reading(simulator, "busy_on_poison") >= 2)
    shows(simulator, "six dead letters", lambda: reading(simulator, "dead") == 6)
    assert simulator.locator("#letters tbody tr").count() == 6
    assert "4" in simulator.locator("#letters tbody tr").first.text_content()

    watch(simulator, "poison-for-ever")
    shows(simulator, "half of the time lost", lambda: clock(simulator) > 40 and reading(simulator, "poison_time") > 0.4)
    assert reading(simulator, "poison_time") < 0.65
    assert reading(simulator, "dead") == 0
    assert not simulator.locator("#letters").is_visible()
    take_picture(simulator, "simulator-poison-desktop-light")


def test_every_slider_says_its_value_and_is_followed(simulator):
    watch(simulator, "keeping-up", speed=8)
    for field in simulator.locator('#controls input[type="range"]').all():
        shown = simulator.locator(f'[data-shown="{field.get_attribute("name")}"]')
        before = shown.text_content()
        low, high = field.get_attribute("min"), field.get_attribute("max")
        if not field.is_visible():
            continue
        field.fill(high if field.input_value() != high else low)
        assert shown.text_content() != before
        assert field.get_attribute("aria-valuetext") == shown.text_content()
    slide(simulator, "rate", 0)
    shows(
        simulator, "silence", lambda: reading(simulator, "offered_per_s") == 0 and reading(simulator, "in_per_s") == 0
    )
    slide(simulator, "rate", 60)
    shows(simulator, "production", lambda: reading(simulator, "offered_per_s") == 60)


def test_switches_show_what_belongs_to_them_and_are_followed(simulator):
    watch(simulator, "back-pressure", speed=12)
    shows(simulator, "slowed producers", lambda: reading(simulator, "throttle") > 0.3)
    press(simulator, "caller", "shed")
    shows(simulator, "messages let go of", lambda: reading(simulator, "refused") > 10)
    press(simulator, "caller", "retry")
    shows(simulator, "callers that come again", lambda: reading(simulator, "with_callers") > 5)
    simulator.get_by_role("switch", name="Back-pressure").uncheck(force=True)
    assert not simulator.locator('#controls [name="high_water"]').is_visible()
    shows(simulator, "drops", lambda: reading(simulator, "dropped") > 20)
    press(simulator, "scaling", "keda")
    assert simulator.locator('#controls [name="per_consumer"]').is_visible()
    assert not simulator.locator('#controls [name="consumers"]').is_visible()
    shows(simulator, "twelve consumers", lambda: reading(simulator, "running") == 12)
    slide(simulator, "maximum", 3)
    shows(simulator, "three consumers", lambda: reading(simulator, "running") == 3)
    slide(simulator, "minimum", 6)
    assert simulator.locator('#controls [name="maximum"]').input_value() == "6"
    press(simulator, "scaling", "cpu")
    press(simulator, "work", "cpu")
    shows(simulator, "CPU that is used", lambda: reading(simulator, "cpu") > 0.5)
    press(simulator, "scaling", "fixed")
    slide(simulator, "consumers", 2)
    shows(simulator, "two consumers", lambda: reading(simulator, "running") == 2)
    press(simulator, "endless", "yes")
    assert not simulator.locator('#controls [name="retries"]').is_visible()
    watch(simulator, "keeping-up", speed=12)  # a full queue would drop what comes now
    simulator.get_by_role("button", name="Six poison messages").click()
    shows(simulator, "poison", lambda: reading(simulator, "busy_on_poison") > 0)


def test_playing_is_paused_stepped_started_again_and_seeded(simulator):
    watch(simulator, "keda", speed=4)
    shows(simulator, "its beginning", lambda: clock(simulator) > 1)
    simulator.get_by_role("button", name="Pause").click()
    shows(simulator, "a rest", lambda: simulator.get_by_role("button", name="Play").is_visible())
    rest = clock(simulator)
    simulator.wait_for_timeout(200)
    assert clock(simulator) == rest
    with simulator.expect_response("**/advance"):
        simulator.get_by_role("button", name="Step").click()
    shows(simulator, "a step", lambda: clock(simulator) > rest)
    with simulator.expect_response("**/simulator/runs"):
        simulator.get_by_role("button", name="Start again").click()
    shows(simulator, "the beginning", lambda: clock(simulator) == 0)
    with simulator.expect_request("**/simulator/runs") as begun:
        simulator.locator("#seed").fill("7")
        simulator.locator("#seed").blur()
    assert begun.value.post_data_json == {"preset": "keda", "seed": 7}


def test_the_keyboard_plays_in_the_picture(simulator):
    watch(simulator, "keeping-up", speed=1)
    picture = simulator.locator("#picture")
    picture.focus()
    simulator.keyboard.press("Space")
    shows(simulator, "a rest", lambda: simulator.get_by_role("button", name="Play").is_visible())
    before = clock(simulator)
    simulator.keyboard.press("ArrowRight")
    shows(simulator, "a step", lambda: clock(simulator) > before)
    with simulator.expect_request("**/advance") as spiked:
        simulator.keyboard.press("s")
    assert spiked.value.post_data_json["actions"] == ["spike"]
    shows(simulator, "a spike", lambda: reading(simulator, "offered_per_s") == 24 * 4)
    assert re.search(r"\d+ messages wait", simulator.locator("#stage").get_attribute("aria-label"))


@pytest.fixture
def failures_expected(teacher):
    """The browser writes failed requests down as errors of the page."""
    teacher.expects_failures = True
    yield
    teacher.expects_failures = False


def test_a_simulation_that_rested_for_too_long_begins_anew(simulator, failures_expected):
    watch(simulator, "keeping-up", speed=1)
    slide(simulator, "rate", 33)
    simulator.route("**/advance", lambda route: route.fulfill(status=404, json={"title": "ended"}), times=1)
    simulator.locator(".toast").get_by_text("begins anew").wait_for()
    shows(simulator, "the same switches", lambda: reading(simulator, "offered_per_s") == 33)


def test_when_the_console_is_away_for_a_moment_the_simulation_waits_for_it(simulator, failures_expected):
    watch(simulator, "keeping-up", speed=2)
    simulator.route("**/advance", lambda route: route.abort(), times=2)
    slide(simulator, "rate", 44)
    simulator.locator(".toast").get_by_text("waits for it").wait_for()
    shows(simulator, "what was asked for meanwhile", lambda: reading(simulator, "offered_per_s") == 44)
    assert simulator.get_by_role("button", name="Pause").is_visible()


@pytest.mark.parametrize(
    ("size", "path", "theme"),
    [("phone", "", "light"), ("desktop", "", "dark"), ("wall", "&wall=1", "dark")],
)
def test_it_fits_every_screen_and_everybody_can_use_it(visitor, size, path, theme):
    page = visitor.open(f"/simulator?preset=poison-for-ever{path}", size=size, theme=theme)
    page.locator("#speed").fill("10")
    until(page, lambda: reading(page, "busy_on_poison") >= 2, "poison")
    page.locator("#play").click()
    take_picture(page, f"simulator-{size}-{theme}")
    check_accessibility(page)
    check_width(page)


def test_with_reduced_motion_nothing_moves_but_the_numbers(visitor):
    page = visitor.open("/simulator?preset=too-much", reduced_motion="reduce")
    page.locator("#speed").fill("10")
    until(page, lambda: reading(page, "depth") > 60, "numbers")
    # a picture a second: two of three looks in between see the same one
    pictures = [page.evaluate("document.querySelector('#stage').toDataURL()") for _ in range(6)]
    assert len(set(pictures)) <= 3
