"""The dead letters' page: what died and why, the safe next step, and replays that lose nothing, with two operators."""

import re
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress

import pika
import pytest
from pika.exceptions import AMQPError
from playwright.sync_api import Page, expect
from pydantic import SecretStr

import letter_mix
from browsing import Visitor, check_accessibility, check_width, take_picture, until
from dead_letters import drain
from media_common.local_store import LocalMediaStore
from mq_common.channels import load_channels
from mq_common.dead_letter_survey import survey
from mq_common.events import MediaEvent
from mq_common.settings import BrokerSettings
from mq_workers import depth
from whole_fleet import WholeFleet

expect.set_options(timeout=30_000)  # a busy machine is slow

CHANNELS = load_channels()
SUBTITLE, TRANSCODE = CHANNELS["subtitle"], CHANNELS["transcode"]


class Letters:
    """The dead letters behind the page, counted at the broker."""

    def __init__(self, fleet: WholeFleet, amqp_url: str) -> None:
        self.settings = BrokerSettings(amqp_url=SecretStr(amqp_url))
        self.store = LocalMediaStore(fleet.folder.media)
        self.connection = pika.BlockingConnection(pika.URLParameters(amqp_url))
        self.channel = self.connection.channel()

    def fill(self) -> None:
        given = (self.settings, SUBTITLE, self.channel, self.store)
        letter_mix.transient(*given, 57)
        letter_mix.lost_workers(*given, 3)
        letter_mix.hostile(SUBTITLE, self.channel)
        letter_mix.replayed_often(self.settings, SUBTITLE, 2, 3)
        letter_mix.transient(self.settings, TRANSCODE, self.channel, self.store, 40, "film")

    def dead(self, spec=SUBTITLE) -> int:
        return depth(self.channel, spec.dead_letter_queue)

    def assets_left(self, spec) -> list[str]:
        return [str(letter.asset_id) for letter in survey(self.settings, spec, wait_s=20)]

    def assets_moved(self, spec) -> list[str]:
        """Take out what was put back, as a worker would."""
        return [MediaEvent.from_body(body).asset_id for _, body in drain(self.channel, spec.queue)]


@pytest.fixture(scope="module")
def letters(console_fleet: WholeFleet, module_amqp_url: str) -> Iterator[Letters]:
    """A paused fleet, so that what is put back stays to be counted."""
    console_fleet.mediaflow("pause")
    behind = Letters(console_fleet, module_amqp_url)
    behind.fill()
    yield behind
    with suppress(AMQPError):
        behind.connection.close()


def board(page: Page, channel: str):
    return page.locator(f'[data-board="{channel}"]')


def group(page: Page, channel: str, name: str):
    return board(page, channel).locator(".dl-group", has=page.locator("code", has_text=name))


def test_an_operator_sees_what_died_why_and_what_to_do_next(letters: Letters, visitor: Visitor) -> None:
    page = visitor.open("/dead-letters")

    expect(board(page, "subtitle").locator(".dl-total")).to_have_text("68 dead letters")
    failing, lost = group(page, "subtitle", "TransientError"), group(page, "subtitle", "WorkerLost")
    expect(failing.locator(".dl-count")).to_have_text("57")
    expect(failing).to_contain_text("rejected")
    expect(failing).to_contain_text("look at the code or the provider")
    expect(failing).to_contain_text("subtitle provider answered 503 for clip-0000")
    expect(lost).to_contain_text("delivery_limit")
    expect(lost).to_contain_text("look at the machines")
    expect(lost.locator(".button.primary")).to_contain_text("Put one back")
    assert group(page, "subtitle", "InvalidEvent").locator(".button.primary").count() == 0
    expect(board(page, "thumbnail")).to_contain_text("none")


def look_at(page: Page, name: str, *themes: str) -> None:
    """Check and keep what is shown, in those themes."""
    for theme in themes:
        page.emulate_media(color_scheme=theme)
        take_picture(page, f"dead-letters-{name}-{theme}")
        check_accessibility(page)
    check_width(page)


# Colours depend on the theme alone and widths on the size alone.
@pytest.mark.parametrize(("size", "themes"), [("desktop", ("light", "dark")), ("phone", ("dark",))])
def test_every_page_is_accessible_and_fits(
    letters: Letters, visitor: Visitor, size: str, themes: tuple[str, ...]
) -> None:
    page = visitor.open("/dead-letters", size=size)
    pages = {
        "overview": "/dead-letters",
        "channel": "/dead-letters/subtitle?reason=rejected&error=InvalidEvent",
        "letter": "/dead-letters/subtitle/letter?n=1",
        "hostile": "/dead-letters/subtitle/letter?n=61",
    }
    for name, path in pages.items():
        page.goto(path)
        page.locator(".panel").first.wait_for()
        look_at(page, f"{name}-{size}", *themes)
    page.get_by_role("button", name=re.compile("Put back")).first.click()
    expect(page.locator(".dl-moves")).to_be_visible()
    look_at(page, f"dialog-{size}", *themes)


def test_a_letter_shows_its_error_its_history_and_its_message(letters: Letters, visitor: Visitor) -> None:
    page = visitor.open("/dead-letters/subtitle?reason=delivery_limit&error=WorkerLost")
    page.get_by_role("link", name="heavy-1").click()

    expect(page.locator("h1")).to_have_text("heavy-1")
    expect(page.locator(".dl-class")).to_have_text("WorkerLost")
    expect(page.locator(".dl-story")).to_contain_text("it came back from lost workers too often")
    expect(page.locator(".dl-body")).to_contain_text('"assetId": "heavy-1"')
    expect(page.locator(".dl-facts").last).to_contain_text("x-death")
    page.get_by_role("link", name="Next").click()
    expect(page.locator("h1")).to_have_text("heavy-2")
    assert page.get_by_role("link", name="Next").count() == 0


def test_what_a_stranger_sent_is_shown_and_does_nothing(letters: Letters, visitor: Visitor) -> None:
    page = visitor.open("/dead-letters/subtitle/letter?n=61")
    expect(page.locator(".dl-body")).to_have_text(letter_mix.SCRIPT)
    assert "owned" not in page.title()
    page.goto("/dead-letters/subtitle/letter?n=62")
    expect(page.locator(".dl-body")).to_contain_text("000000  00 01 02 03")
    expect(page.locator("#main")).to_contain_text("The first 2,048 of 10,240 bytes.")
    page.goto("/dead-letters/subtitle/letter?n=63")
    expect(page.locator("#main")).to_contain_text("The first 65,536 of 200,")
    page.goto("/dead-letters/subtitle/letter?n=64")
    expect(page.locator(".dl-body")).to_have_text(r"a\u202egpj.exe \u200b")


def test_letters_are_found_and_paged_through(letters: Letters, visitor: Visitor) -> None:
    page = visitor.open("/dead-letters?channel=subtitle")
    rows = page.locator(".dl-table tbody tr")
    expect(rows).to_have_count(50)
    page.locator(".dl-pages").get_by_role("link", name="Next").click()
    expect(rows).to_have_count(18)
    page.get_by_label("Find by asset").fill("CLIP-001")
    page.keyboard.press("Enter")
    expect(rows).to_have_count(10)
    page.get_by_label("Find by asset").fill("nobody")
    page.keyboard.press("Enter")
    expect(page.locator("#main")).to_contain_text("No letter matches")


def start(page: Page) -> None:
    """Agree to what the dialog foretells."""
    button = page.locator('#replay-dialog [type="submit"]')
    expect(button).to_be_enabled()
    button.click()


def test_those_that_are_selected_go_back_and_no_others(letters: Letters, visitor: Visitor) -> None:
    page = visitor.open("/dead-letters/subtitle?q=clip-000")
    page.get_by_label("Select clip-0003").check()
    page.get_by_label("Select clip-0007").check()
    page.goto("/dead-letters/subtitle?q=heavy")  # the choice outlives the list that it was made in
    page.get_by_role("button", name="Put 2 selected back").click()
    expect(page.locator(".dl-moves")).to_have_text("2 letters go back to media.subtitle")
    expect(page.locator(".dl-forecast")).to_contain_text("66 stay: not chosen")
    start(page)

    expect(page.locator(".dl-run")).to_contain_text("done")
    expect(page.locator(".dl-run")).to_contain_text("2 put back")
    until(page, lambda: depth(letters.channel, SUBTITLE.queue) == 2)
    assert letters.assets_moved(SUBTITLE) == ["clip-0003", "clip-0007"]
    expect(page.locator(".dl-filter a").first).to_contain_text("66")  # looked at again by itself
    expect(page.get_by_role("button", name=re.compile("selected"))).to_be_hidden()
    page.goto("/history")
    expect(page.locator("tbody tr").first).to_contain_text("2 chosen")


def test_one_letter_of_a_group_goes_first_and_a_dry_run_says_what_stays_and_why(
    letters: Letters, visitor: Visitor
) -> None:
    page = visitor.open("/dead-letters", size="phone")
    board(page, "subtitle").get_by_role("button", name="Put all back").click()
    expect(page.locator(".dl-forecast")).to_contain_text("2 stay: put back too often before")
    expect(page.locator(".dl-forecast")).to_contain_text("6 of them will most likely be rejected again")
    page.get_by_label("Dead for, minutes at least").fill("600")
    expect(page.locator(".dl-moves")).to_have_text("Nothing would move")
    expect(page.locator(".dl-forecast")).to_contain_text("stay: not dead for long enough")
    expect(page.locator('#replay-dialog [type="submit"]')).to_be_disabled()
    page.keyboard.press("Escape")
    group(page, "subtitle", "WorkerLost").get_by_role("button", name="Put one back").click()
    expect(page.locator(".dl-moves")).to_have_text("1 letter goes back to media.subtitle")
    expect(page.locator(".dl-forecast")).to_contain_text("2 stay: more than asked for")
    start(page)

    expect(board(page, "subtitle").locator(".dl-run")).to_contain_text("1 put back")
    assert letters.assets_moved(SUBTITLE) == ["heavy-0"]
    expect(group(page, "subtitle", "WorkerLost").locator(".dl-count")).to_have_text("2")


def test_two_operators_at_once_lose_nothing_and_double_nothing(letters: Letters, visitor: Visitor) -> None:
    ada, grace = visitor.open("/dead-letters/transcode"), visitor.open("/dead-letters/transcode", size="phone")
    for page in (ada, grace):
        page.get_by_role("button", name="Put all back").click()
        page.get_by_label("At most per second").fill("4")
        expect(page.locator(".dl-moves")).to_have_text("40 letters go back to media.transcode")
        expect(page.locator(".dl-forecast")).to_contain_text("It takes about 10 sec")
    visitor.expects_failures = True  # the second one is refused: 409
    start(ada)
    start(grace)

    expect(grace.locator(".toast.bad")).to_contain_text("A replay of transcode")
    for page in (ada, grace):  # both watch the one that runs
        expect(page.locator(".dl-run")).to_contain_text("of 40 looked at")
    until(ada, lambda: depth(letters.channel, TRANSCODE.queue) >= 4)
    take_picture(grace, "dead-letters-running-phone-light")
    take_picture(ada, "dead-letters-running-desktop-light")
    grace.locator(".dl-run").get_by_role("button", name="Stop").click()
    grace.locator("dialog[open]").get_by_role("button", name="Stop").click()
    for page in (ada, grace):
        expect(page.locator(".dl-run")).to_contain_text("stopped")
    moved, left = letters.assets_moved(TRANSCODE), letters.assets_left(TRANSCODE)
    assert 0 < len(moved) < 40
    assert Counter(moved + left) == Counter(f"film-{number:04}" for number in range(40))
    check_accessibility(ada)


def test_while_somebody_replays_the_list_is_the_one_from_before_and_says_so(letters: Letters, visitor: Visitor) -> None:
    page = visitor.open("/dead-letters/transcode")
    seen = page.locator(".dl-filter a b").first.text_content()
    page.get_by_role("button", name="Put all back").click()
    page.get_by_label("At most per second").fill("1")
    start(page)

    expect(page.locator(".dl-look")).to_contain_text("what you see is from before")
    page.get_by_role("button", name="Look again").click()
    expect(page.locator(".dl-filter a b").first).to_have_text(str(seen))
    expect(page.locator(".dl-run")).to_contain_text("a second")
    page.locator(".dl-run").get_by_role("button", name="Stop").click()
    page.locator("dialog[open]").get_by_role("button", name="Stop").click()
    expect(page.locator(".dl-run")).to_contain_text("stopped")
    expect(page.locator(".dl-filter a b").first).not_to_have_text(str(seen))
