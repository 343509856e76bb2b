"""Assets in a real browser: uploaded through the page, watched on their way, played, searched for."""

import json
from itertools import pairwise

import pytest

from browsing import check_accessibility, check_width, take_picture, until
from media_fixtures.cache import FixtureCache

VIDEO = "document.getElementById('video')"


@pytest.fixture(scope="module")
def clips():
    return FixtureCache()


@pytest.fixture(scope="module")
def talk(clips, tmp_path_factory):
    """Six seconds of 720p with a text track in two languages, under a name as people give them."""
    named = tmp_path_factory.mktemp("clips") / "Evening talk & walk.mp4"
    named.write_bytes(clips["subtitles_mov_text"].read_bytes())
    return named


@pytest.fixture(scope="module")
def ended(console_fleet, talk, clips):
    """Assets that have ended, by what became of them; they are there before the first page is opened."""
    fleet = console_fleet

    def upload(path, **query):
        asked = "&".join(f"{name}={value}" for name, value in query.items())
        return fleet.post(f"/media/upload?{asked}", path.read_bytes(), "video/mp4")[2]["assetId"]

    found = {
        "broken": upload(clips["text"], filename="broken.mp4", ownerId="ann"),
        "talk": upload(talk, filename="talk.mp4", ownerId="ben"),
        "simulated": "load-0001",
    }
    fleet.post("/media/upload", json.dumps({"assetId": "load-0001", "ownerId": "load"}).encode(), "application/json")
    for asset_id in found.values():
        fleet.wait_for(asset_id, lambda asset: asset["status"] in ("done", "dead-lettered"))
    return found


def _now(page):
    return page.evaluate(f"{VIDEO}.currentTime")


def test_a_video_uploaded_through_the_page_is_watched_until_it_is_done_and_plays(visitor, talk, ended):
    page = visitor.open("/assets")
    page.fill("#upload-owner", "carol")
    page.set_input_files("#files", talk)
    row = page.locator(".upload-item")
    row.get_by_text("Uploaded", exact=True).wait_for()
    card = page.locator(".asset-card", has_text="Evening talk & walk.mp4")
    card.wait_for()
    assert card.locator(".asset-channel").count() == 3
    row.get_by_role("link", name="Watch").click()
    page.locator("#asset-badge .badge", has_text="Done").wait_for(timeout=90_000)
    page.locator("#player").wait_for()
    assert page.locator("dd", has_text="carol").count() == 1
    page.locator("#big-play").click()
    until(page, lambda: _now(page) > 0.3, "the picture's movement")
    qualities = page.locator("#quality option").all_text_contents()
    assert qualities == ["Auto", "720p", "480p", "360p"]
    page.select_option("#captions", label="English")
    page.evaluate(f"{VIDEO}.currentTime = 1")
    shown = f"[...{VIDEO}.textTracks].some(t => t.mode === 'showing' && t.activeCues?.length)"
    until(page, lambda: page.evaluate(shown), "a subtitle on the screen")


def test_the_player_is_driven_by_keys_and_previews_what_is_sought(visitor, ended):
    page = visitor.open(f"/assets/{ended['talk']}")
    page.locator("#player").wait_for()
    until(page, lambda: page.evaluate(f"{VIDEO}.duration") > 5, "the stream's length")
    page.keyboard.press("ArrowRight")
    until(page, lambda: _now(page) >= 4.9, "five seconds ahead")
    page.keyboard.press("j")
    until(page, lambda: _now(page) < 0.5, "ten seconds back")
    page.keyboard.press("m")
    assert page.evaluate(f"{VIDEO}.muted")
    page.keyboard.press("k")
    until(page, lambda: _now(page) > 0, "the picture's movement")
    page.keyboard.press("k")
    assert page.evaluate(f"{VIDEO}.paused")
    page.select_option("#quality", label="360p")
    page.locator("#seek").hover()
    picture = page.locator("#picture")
    picture.wait_for()
    assert "/files/thumbnail/" in picture.evaluate("each => each.style.backgroundImage")
    assert page.locator("#preview-time").text_content() == "0:03"
    take_picture(page, "asset-desktop-light")
    check_accessibility(page)


def test_the_way_through_the_fleet_tells_why_a_channel_gave_up(visitor, ended):
    page = visitor.open(f"/assets/{ended['broken']}")
    panel = page.locator(".asset-channel-panel", has_text="transcode")
    assert panel.get_by_text("the file is text, and not a video").count() == 1
    events = [text.strip() for text in panel.locator(".asset-timeline li div > p:first-child").all_text_contents()]
    assert events == ["Uploaded and queued", "Started", "Dead-lettered"]
    assert page.locator(".way-running").count() == 3
    panel.get_by_role("link", name="dead letters of transcode").click()
    page.wait_for_url(f"**/dead-letters/transcode?q={ended['broken']}")


def test_a_simulated_asset_has_its_way_and_nothing_to_play(visitor, ended):
    page = visitor.open(f"/assets/{ended['simulated']}", size="phone", theme="dark")
    page.get_by_text("there is nothing to play").wait_for()
    assert not page.locator("#player").is_visible()
    assert page.locator(".asset-channel-panel .badge").count() == 3
    check_accessibility(page)
    check_width(page)


def test_a_refused_upload_shows_its_wait_and_goes_again_under_the_same_key(visitor, talk):
    visitor.expects_failures = True
    page = visitor.open("/assets")
    keys = []
    problem = {"type": "urn:mediaflow:problem:over-capacity", "detail": "The queues are full."}

    def meddle(route):
        keys.append(route.request.headers["idempotency-key"])
        if len(keys) < 3:
            status = {1: 429, 2: 503}[len(keys)]
            route.fulfill(status=status, headers={"Retry-After": "2"}, json=problem)
        elif len(keys) == 3:
            route.abort("connectionreset")
        else:
            route.continue_()

    page.route("**/uploads?*", meddle)
    page.set_input_files("#files", talk)
    row = page.locator(".upload-item")
    row.get_by_text("The queues are full. Trying again in 2 s.").wait_for()
    take_picture(page, "upload-waits-desktop-light")
    row.get_by_text("The upload service is not ready. Trying again in").wait_for()
    row.get_by_text("The connection was lost. Trying again in").wait_for()
    row.get_by_role("button", name="Try now").click()
    row.get_by_text("Uploaded", exact=True).wait_for()
    assert len(keys) == 4
    assert all(one == other for one, other in pairwise(keys))
    page.set_input_files("#files", talk)  # the same file again is another upload
    until(page, lambda: len(keys) == 5, "the next upload")
    assert keys[4] != keys[0]


def test_an_upload_is_called_off_and_leaving_meanwhile_is_asked_about(visitor, talk):
    page = visitor.open("/assets")
    page.route("**/uploads?*", lambda route: None)  # nobody answers
    page.set_input_files("#files", talk)
    asked = []
    page.on("dialog", lambda dialog: (asked.append(dialog.type), dialog.dismiss()))
    page.locator("h1").click()
    page.evaluate("location.assign('/planner')")
    until(page, lambda: asked == ["beforeunload"], "the question")
    page.get_by_role("button", name="Cancel Evening talk & walk.mp4").click()
    page.locator(".upload-item").get_by_text("Cancelled").wait_for()
    page.unroute("**/uploads?*")
    page.get_by_role("button", name="Try again: Evening talk & walk.mp4").click()
    page.locator(".upload-item").get_by_text("Uploaded", exact=True).wait_for()


def test_files_dropped_anywhere_are_taken_and_those_that_are_refused_say_why(visitor):
    visitor.expects_failures = True
    page = visitor.open("/assets")
    page.route("**/uploads?*", lambda route: route.fulfill(status=409, json={"detail": "The asset exists."}))
    dropped = page.evaluate_handle(
        """() => {
          const files = new DataTransfer();
          files.items.add(new File([], "empty.mp4"));
          files.items.add(new File(["x"], "letter.mp4", { type: "video/mp4" }));
          return files;
        }"""
    )
    page.dispatch_event("h1", "dragenter", {"dataTransfer": dropped})
    assert page.locator("body.dragging").count() == 1
    page.dispatch_event("h1", "drop", {"dataTransfer": dropped})
    assert page.locator("body.dragging").count() == 0
    refused = page.locator(".upload-item[data-state='failed']")
    refused.get_by_text("The asset exists.").wait_for()
    refused.get_by_text("The file is empty.").wait_for()


def test_the_search_follows_the_typing_and_stands_in_the_address(visitor, ended):
    page = visitor.open("/assets")
    page.locator(".asset-card", has_text="broken.mp4").wait_for()
    page.fill("#search-owner", "ann")
    until(page, lambda: page.locator(".asset-card").count() == 1, "the one of ann")
    assert page.url.endswith("/assets?owner=ann")
    page.fill("#search-owner", "")
    page.select_option("#search-state", "dead-lettered")
    until(page, lambda: "state=dead-lettered" in page.url, "the address")
    page.fill("#search-q", "nothing-is-called-so")
    page.get_by_text("Nothing found").wait_for()
    page.fill("#search-q", "load-")
    page.select_option("#search-state", "")
    page.locator(".asset-card", has_text="load-0001").wait_for()
    page.reload()
    assert page.locator("#search-q").input_value() == "load-"
    assert page.locator(".asset-card").count() == 1
    page.locator(".asset-link").click()
    page.wait_for_url("**/assets/load-0001")


def test_the_list_goes_on_by_a_button_with_scripts_and_by_a_link_without(visitor, console_fleet, ended):
    console_fleet.post("/media/burst", b'{"count": 30}', "application/json")
    page = visitor.open("/assets?owner=burst")
    assert page.locator(".asset-card").count() == 24
    page.get_by_role("link", name="Search further back").or_(page.get_by_role("link", name="Show more")).click()
    until(page, lambda: page.locator(".asset-card").count() == 30, "the rest")
    assert page.locator("#more").count() == 0
    plain = visitor.open("/assets?owner=burst", java_script_enabled=False)
    plain.locator("#more").click()
    assert plain.locator(".asset-card").count() == 6


@pytest.mark.parametrize(("size", "theme"), [("desktop", "dark"), ("phone", "light")])
def test_lists_and_pages_are_accessible_and_fit(visitor, ended, size, theme):
    page = visitor.open("/assets", size=size, theme=theme)
    for name, path in {
        "list": "/assets",
        "asset": f"/assets/{ended['talk']}",
        "dead": f"/assets/{ended['broken']}",
    }.items():
        page.goto(path)
        page.locator("h1").wait_for()
        take_picture(page, f"assets-{name}-{size}-{theme}")
        check_accessibility(page)
        check_width(page)
