"""What every page has: navigation, theme, language, and that it can be used by everybody."""

import pytest

from browsing import check_accessibility, check_width, take_picture, until

PAGES = {
    "fleet": "/",
    "assets": "/assets",
    "dead-letters": "/dead-letters",
    "simulator": "/simulator",
    "planner": "/planner",
    "history": "/history",
    "style": "/style",
}


# Colours depend on the theme alone and widths on the size alone.
@pytest.mark.parametrize(("size", "theme"), [("desktop", "dark"), ("phone", "light")])
def test_every_page_is_accessible_and_fits(visitor, size, theme):
    page = visitor.open(size=size, theme=theme)
    for name, path in PAGES.items():
        page.goto(path)
        page.locator("h1").first.wait_for()
        take_picture(page, f"{name}-{size}-{theme}")
        check_accessibility(page)
        check_width(page)


def test_the_keyboard_skips_to_the_content_and_walks_the_areas(desktop):
    desktop.keyboard.press("Tab")
    assert desktop.evaluate("document.activeElement.className") == "skip-link"
    desktop.keyboard.press("Enter")
    assert desktop.evaluate("document.activeElement.id") == "main"
    desktop.goto("/")
    for _ in range(4):  # the skip link, the name, the first area, the second
        desktop.keyboard.press("Tab")
    desktop.keyboard.press("Enter")
    desktop.wait_for_url("**/assets")
    assert desktop.locator(".top-nav [aria-current]").text_content() == "Assets"


def test_what_has_the_focus_can_be_seen(desktop):
    for _ in range(5):
        desktop.keyboard.press("Tab")
        assert desktop.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"


def test_a_phone_has_its_areas_at_the_thumb(phone):
    assert not phone.locator(".top-nav").is_visible()
    phone.locator(".tabs").get_by_text("Dead letters").tap()
    phone.wait_for_url("**/dead-letters")
    assert phone.locator(".tabs [aria-current]").text_content().strip() == "Dead letters"


def test_the_theme_is_switched_at_once_and_stays(visitor):
    page = visitor.open(theme="light")
    ground = "getComputedStyle(document.documentElement).backgroundColor"
    light = page.evaluate(ground)
    page.locator("#preferences summary").click()
    with page.expect_response("**/preferences"):
        page.get_by_role("button", name="Dark").click()
    dark = page.evaluate(ground)
    assert dark != light
    page.goto("/planner")
    assert page.evaluate(ground) == dark
    page.emulate_media(color_scheme="dark")
    page.locator("#preferences summary").click()
    with page.expect_response("**/preferences"):
        page.get_by_role("button", name="Auto").click()
    page.goto("/planner")
    assert page.evaluate(ground) == dark
    page.emulate_media(color_scheme="light")
    assert page.evaluate(ground) == light


def test_the_language_is_the_browsers_until_it_is_switched(visitor):
    page = visitor.open("/planner", locale="tr-TR")
    assert page.locator("html").get_attribute("lang") == "tr"
    page.locator("#preferences summary").click()
    page.locator("#preferences").get_by_text("English").click()
    until(page, lambda: page.locator("html").get_attribute("lang") == "en", "the English page")
    assert page.url.endswith("/planner")
    page.goto("/assets")
    assert page.locator("html").get_attribute("lang") == "en"


def test_a_menu_closes_by_escape_and_by_a_click_beside_it(desktop):
    menu = desktop.locator("#preferences")
    for close in (lambda: desktop.keyboard.press("Escape"), desktop.locator("h1").first.click):
        menu.locator("summary").click()
        assert menu.get_attribute("open") is not None
        close()
        assert menu.get_attribute("open") is None


def test_the_wall_shows_the_page_alone_and_large(visitor):
    page = visitor.open("/?wall=1", size="wall", theme="dark")
    assert page.locator(".top").count() == 0
    assert page.locator(".tabs").count() == 0
    size = "parseFloat(getComputedStyle(document.body).fontSize)"
    large = page.evaluate(size)
    take_picture(page, "fleet-wall-dark")
    page.goto("/")
    assert large > page.evaluate(size)


def test_an_address_that_is_none_leads_back(desktop, visitor):
    desktop.goto("/nowhere")
    assert desktop.locator("h1").text_content()
    check_accessibility(desktop)
    desktop.get_by_role("link", name="To the fleet").click()
    desktop.wait_for_url("**/")
    visitor.complaints.clear()  # the browser counts the 404 as an error
