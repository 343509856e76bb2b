"""What another web site can make a browser do to the console: nothing."""

import pytest

from console.access.origins import host_of, is_loopback

PASSWORD = "correct horse"
OWN = "http://localhost:8090"
NAVIGATION = {"Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}


@pytest.fixture
def app(with_change):
    return with_change()


def status(app, method="POST", host="localhost:8090", **kwargs):
    return app.test_client().open("/admin/nothing", method=method, base_url=f"http://{host}", **kwargs).status_code


def test_on_loopback_a_program_needs_nothing_but_json(app):
    assert status(app, json={}) == 200
    assert status(app, data="count=1") == 415
    assert status(app, data="{}", content_type="text/plain") == 415
    assert status(app, data="a=1", content_type="application/x-www-form-urlencoded") == 415


@pytest.mark.parametrize("host", ["localhost:8090", "127.0.0.1:8090", "[::1]:8090", "127.8.0.1", "LOCALHOST"])
def test_the_console_answers_under_this_machines_own_names(app, host):
    assert status(app, method="GET", host=host) == 200


@pytest.mark.parametrize(
    "host", ["evil.example", "localhost.evil.example", "10.0.0.7:8090", "127.0.0.1.nip.io", "evil.example:8090"]
)
def test_a_name_that_somebody_else_may_point_here_is_refused(app, host):
    """DNS rebinding: to the browser the page and the console are then one site."""
    assert status(app, method="GET", host=host) == 403
    assert status(app, host=host, json={}) == 403


def test_with_a_password_the_console_has_any_name(with_change, browser_of):
    browser = browser_of(with_change(password=PASSWORD))
    browser.base_url = "http://console.internal.example"
    browser.log_in()
    assert browser.get("/").status_code == 200


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://localhost:3000"},
        {"Origin": "https://localhost:8090"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Sec-Fetch-Site": "cross-site", **NAVIGATION},
    ],
)
def test_a_change_that_another_site_asks_for_is_refused(app, browser_of, headers):
    assert status(app, json={}, headers=headers) == 403
    browser = browser_of(app)
    browser.get("/")
    assert browser.send_form("/admin/nothing", headers=headers).status_code == 403


def test_another_sites_link_leads_here_but_its_scripts_and_pictures_get_nothing(app):
    site = {"Sec-Fetch-Site": "cross-site"}
    assert status(app, method="GET", headers=site | NAVIGATION) == 200
    assert status(app, method="GET", headers=site | {"Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": "image"}) == 403
    assert status(app, method="GET", headers=site | {"Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "iframe"}) == 403


@pytest.mark.parametrize("headers", [{"Sec-Fetch-Site": "same-origin"}, {"Origin": OWN}, {"Referer": f"{OWN}/"}])
def test_a_browsers_change_needs_the_token_of_a_page(app, browser_of, headers):
    assert status(app, json={}, headers=headers) == 400
    browser = browser_of(app)
    browser.get("/")
    sent = headers | {"X-CSRFToken": browser.token}
    assert browser.client.post("/admin/nothing", json={}, headers=sent, base_url=OWN).status_code == 200
    other = browser_of(app)
    other.get("/")
    assert other.client.post("/admin/nothing", json={}, headers=sent, base_url=OWN).status_code == 400


def test_a_logged_in_browsers_change_needs_the_token_too(with_change, browser_of):
    browser = browser_of(with_change(password=PASSWORD))
    browser.log_in()
    assert browser.client.post("/admin/nothing", json={}, base_url=OWN).status_code == 400
    browser.get("/")
    assert browser.send_form("/admin/nothing").json == {"who": "Ada"}


@pytest.mark.parametrize("path", ["/login", "/logout", "/preferences"])
def test_every_form_of_the_shell_needs_the_token(with_change, browser_of, path):
    browser = browser_of(with_change(password=PASSWORD))
    browser.log_in()
    answer = browser.client.post(path, data={"theme": "dark"}, base_url=OWN, headers={"Accept": "text/html"})
    assert answer.status_code == 400
    assert "text/html" in answer.content_type


def test_a_browser_that_remembers_basic_is_no_program_to_other_sites(with_change):
    app = with_change(password=PASSWORD)
    basic = {"Authorization": "Basic cm9ib3Q6Y29ycmVjdCBob3JzZQ=="}
    assert status(app, json={}, headers=basic) == 200
    assert status(app, json={}, headers=basic | {"Sec-Fetch-Site": "cross-site"}) == 403
    assert status(app, json={}, headers=basic | {"Origin": "https://evil.example"}) == 403
    assert status(app, data="a=1", content_type="text/plain", headers=basic) == 415


@pytest.mark.parametrize("header", ["a@localhost", "localhost:8090:1", "localhost/", "localhost:x", "\\localhost", ""])
def test_a_host_that_is_none_is_not_loopback(header):
    assert not is_loopback(host_of(header))
