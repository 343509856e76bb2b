"""A console with a password, as people come in and leave."""

import pytest

from browsing import Visitor, check_accessibility, check_width, take_picture

PASSWORD = "correct horse"


@pytest.fixture(scope="module")
def locked_fleet(new_console_fleet, broker, module_amqp_url):
    """A fleet without workers whose console asks for a password."""
    return new_console_fleet(
        AMQP_URL=module_amqp_url,
        MEDIAFLOW_MANAGEMENT_URL=broker.management_url,
        MEDIAFLOW_FLEET_WORKERS="thumbnail=0, transcode=0, subtitle=0",
        MEDIAFLOW_CONSOLE_PASSWORD=PASSWORD,
    )


@pytest.fixture
def stranger(chromium, locked_fleet):
    someone = Visitor(chromium, locked_fleet.console_url)
    yield someone
    someone.close()


def log_in(page, name="Ada Lovelace", password=PASSWORD):
    page.get_by_label("Your name").fill(name)
    page.get_by_label("Password").fill(password)
    page.get_by_role("button", name="Log in").click()


def test_people_log_in_act_under_their_name_and_log_out(stranger):
    page = stranger.open("/planner")
    assert "/login" in page.url
    assert page.get_by_role("navigation").count() == 0
    log_in(page, password="wrong password")
    page.get_by_text("This is not the password.").wait_for()
    assert page.get_by_label("Your name").input_value() == "Ada Lovelace"
    assert page.evaluate("document.activeElement.name") == "password"
    page.get_by_label("Password").fill(PASSWORD)
    page.keyboard.press("Enter")
    page.wait_for_url("**/planner")
    page.locator("#preferences summary").click()
    page.get_by_text("Logged in as Ada Lovelace").wait_for()
    page.get_by_role("button", name="Log out").click()
    page.wait_for_url("**/login")
    page.goto("/planner")
    assert "/login" in page.url
    stranger.complaints.clear()  # the browser counts the 401 as an error


@pytest.mark.parametrize(("size", "theme"), [("desktop", "light"), ("phone", "dark")])
def test_the_login_is_accessible_and_fits(stranger, size, theme):
    page = stranger.open("/login", size=size, theme=theme)
    take_picture(page, f"login-{size}-{theme}")
    check_accessibility(page)
    check_width(page)


def test_a_session_that_ends_under_an_open_page_leads_to_the_login_and_back(stranger):
    page = stranger.open("/planner")
    log_in(page)
    page.wait_for_url("**/planner")
    page.context.clear_cookies()
    page.evaluate("import('/static/js/api.js').then((api) => { api.post('/admin/workers/pause', {}) })")
    page.wait_for_url("**/login?next=**")
    log_in(page)
    page.wait_for_url("**/planner")
    stranger.complaints.clear()
