"""Coming in and leaving, with a password."""

import base64
import time

import pytest

from console.access import sessions
from console.access.sessions import COOKIE

PASSWORD = "correct horse"


def cookie_line(answer):
    return next(each for each in answer.headers.getlist("Set-Cookie") if each.startswith(f"{COOKIE}="))


def basic(password, name="robot"):
    return {"Authorization": "Basic " + base64.b64encode(f"{name}:{password}".encode()).decode()}


@pytest.fixture
def app(with_change, tmp_path):
    return with_change(password=PASSWORD, state_dir=tmp_path / "state")


@pytest.mark.parametrize("path", ["/", "/assets?q=a", "/dead-letters", "/simulator", "/planner", "/nowhere"])
def test_a_page_sends_whoever_is_not_logged_in_to_the_login_and_back_afterwards(app, browser_of, path):
    browser = browser_of(app)
    sent = browser.get(path)
    assert sent.status_code == 302
    browser.get(sent.location)
    answer = browser.send_form("/login", name="Ada", password=PASSWORD, next=path)
    assert (answer.status_code, answer.location) == (303, path)
    assert browser.get(path).status_code != 302


def test_the_admin_api_answers_a_problem_and_asks_programs_for_basic(app):
    answer = app.test_client().post("/admin/nothing", json={})
    assert answer.status_code == 401
    assert answer.content_type == "application/problem+json"
    assert answer.json["type"] == "urn:mediaflow:problem:login-needed"
    assert answer.headers["WWW-Authenticate"].startswith("Basic")


def test_a_browser_is_not_asked_for_basic(app, browser_of):
    assert "WWW-Authenticate" not in browser_of(app).get("/admin/nothing").headers


@pytest.mark.parametrize("given", ["", "correct hors", "correct horse ", "CORRECT HORSE", "\ud800"])
def test_a_wrong_password_is_refused(app, browser_of, given):
    browser = browser_of(app)
    if given != "\ud800":
        assert browser.log_in(password=given).status_code == 401
    assert browser.get("/").status_code == 302
    assert app.test_client().get("/admin/nothing", headers=basic(given.encode("utf-8", "replace"))).status_code == 401


def test_passwords_are_compared_in_constant_time(monkeypatch):
    from console.access import password

    compared = []
    monkeypatch.setattr(password.hmac, "compare_digest", lambda *both: compared.append(both) or False)
    assert not password.is_password("a", "correct horse")
    assert len(compared[0][0]) == len(compared[0][1])


def test_a_login_without_a_name_is_asked_for_one(app, browser_of):
    browser = browser_of(app)
    assert browser.log_in(name=" \n ").status_code == 422
    assert browser.get("/").status_code == 302


def test_the_name_given_at_login_is_the_one_that_acts(app, browser_of):
    browser = browser_of(app)
    browser.log_in(name="Ada Lovelace")
    assert browser.get("/admin/nothing").json == {"who": "Ada Lovelace"}
    assert "Ada Lovelace" in browser.get("/").text


def test_a_program_comes_in_with_the_password_and_acts_under_its_name(app):
    client = app.test_client()
    assert client.post("/admin/nothing", json={}, headers=basic(PASSWORD, "cron")).json == {"who": "cron"}
    assert client.post("/admin/nothing", json={}, headers=basic(PASSWORD, "")).json == {"who": "program"}


@pytest.mark.parametrize("header", ["Basic", "Basic !!!", "Basic Og==", "Bearer abc"])
def test_an_authorization_that_is_none_is_refused(app, header):
    assert app.test_client().get("/admin/nothing", headers={"Authorization": header}).status_code == 401


def test_the_cookie_is_kept_from_scripts_and_other_sites(app, browser_of):
    line = cookie_line(browser_of(app).log_in())
    assert "HttpOnly" in line
    assert "SameSite=Lax" in line
    assert "Secure" not in line  # the page came over plain HTTP


def test_behind_https_the_cookie_goes_over_https_only(with_change, browser_of):
    browser = browser_of(with_change(password=PASSWORD))
    browser.base_url = "https://console.example"
    assert "Secure" in cookie_line(browser.log_in())


def test_a_cookie_that_was_changed_is_worth_nothing(app, browser_of):
    browser = browser_of(app)
    browser.log_in()
    signed = browser.client.get_cookie(COOKIE).value
    head, _, tail = signed.partition(".")
    forged = base64.urlsafe_b64encode(b'{"operator":"Eve","id":"x","until":99999999999}').decode().rstrip("=")
    for value in (f"{forged}.{tail}", f"{head}.{tail[:-2]}AA", forged):
        browser.client.set_cookie(COOKIE, value)
        assert browser.get("/").status_code == 302


def test_a_session_ends_after_its_hours(with_change, browser_of, monkeypatch):
    browser = browser_of(with_change(password=PASSWORD, session_hours=1))
    browser.log_in()
    now = time.time()
    monkeypatch.setattr(sessions.time, "time", lambda: now + 3590)
    assert browser.get("/").status_code == 200
    monkeypatch.setattr(sessions.time, "time", lambda: now + 3601)
    assert browser.get("/").status_code == 302


def test_a_session_survives_a_restart_but_not_another_password(with_change, browser_of, tmp_path):
    first = browser_of(with_change(password=PASSWORD, state_dir=tmp_path / "state"))
    first.log_in()
    cookie = first.client.get_cookie(COOKIE).value
    for password, status in ((PASSWORD, 200), ("another password", 302)):
        browser = browser_of(with_change(password=password, state_dir=tmp_path / "state"))
        browser.client.set_cookie(COOKIE, cookie)
        assert browser.get("/").status_code == status


def test_after_the_logout_a_copy_of_the_cookie_is_worth_nothing_also_after_a_restart(with_change, browser_of, tmp_path):
    app = with_change(password=PASSWORD, state_dir=tmp_path / "state")
    browser = browser_of(app)
    browser.log_in()
    copy = browser.client.get_cookie(COOKIE).value
    browser.get("/")
    assert browser.send_form("/logout").location == "/login"
    assert browser.get("/").status_code == 302
    for each in (app, with_change(password=PASSWORD, state_dir=tmp_path / "state")):
        thief = browser_of(each)
        thief.client.set_cookie(COOKIE, copy)
        assert thief.get("/").status_code == 302


def test_a_login_starts_a_session_of_its_own(app, browser_of):
    browser = browser_of(app)
    browser.get("/login")
    before = browser.token
    browser.send_form("/login", name="Ada", password=PASSWORD)
    browser.get("/")
    browser.page = f'name="csrf-token" content="{before}"'
    assert browser.send_form("/logout").status_code == 400


@pytest.mark.parametrize("path", ["https://evil.example/", "//evil.example", "/\\evil.example", "javascript:alert(1)"])
def test_the_login_leads_to_no_other_site(app, browser_of, path):
    assert browser_of(app).log_in(next=path).location == "/"


def test_wrong_passwords_have_to_wait_and_so_does_the_right_one_then(app, browser_of):
    browser = browser_of(app)
    statuses = [browser.log_in(password="wrong").status_code for _ in range(11)]
    assert statuses == [401] * 10 + [429]
    refused = browser.log_in()
    assert refused.status_code == 429
    assert 0 < int(refused.headers["Retry-After"]) <= 301
    assert app.test_client().get("/admin/nothing", headers=basic(PASSWORD)).status_code == 429
    elsewhere = app.test_client().get(
        "/admin/nothing", headers=basic(PASSWORD), environ_base={"REMOTE_ADDR": "10.1.1.1"}
    )
    assert elsewhere.status_code == 200


def test_wrong_passwords_of_programs_count_too(app, browser_of):
    client = app.test_client()
    assert [client.get("/admin/nothing", headers=basic("x")).status_code for _ in range(11)] == [401] * 10 + [429]
    assert browser_of(app).log_in().status_code == 429


def test_right_passwords_do_not_count(app, browser_of):
    assert {browser_of(app).log_in().status_code for _ in range(15)} == {303}


def test_probes_and_metrics_ask_for_no_password(app):
    client = app.test_client()
    assert {client.get(path).status_code for path in ("/healthz", "/readyz", "/metrics")} == {200}


def test_a_failed_login_and_the_password_are_not_in_the_log_together(app, browser_of, capsys):
    browser_of(app).log_in(name="Eve", password="guess-4711")
    said = "".join(capsys.readouterr())
    assert "login_failed" in said
    assert "guess-4711" not in said
