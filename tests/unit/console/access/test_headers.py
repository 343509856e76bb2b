"""What every answer says about itself."""

import re

import pytest

from console.pages import AREAS

PAGES = [str(each.address) for each in AREAS]


@pytest.mark.parametrize("path", [*PAGES, "/nowhere", "/static/css/tokens.css", "/admin/nowhere", "/healthz"])
def test_every_answer_carries_the_headers(make_console, path):
    answer = make_console().test_client().get(path)
    policy = answer.headers["Content-Security-Policy"]
    assert "default-src 'self'" in policy
    assert "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert answer.headers["Referrer-Policy"] == "same-origin"
    assert answer.headers["X-Frame-Options"] == "DENY"


@pytest.mark.parametrize("path", PAGES)
def test_no_page_has_a_script_or_a_style_of_its_own(make_console, path):
    page = make_console().test_client().get(path, headers={"Accept": "text/html"}).text
    scripts = re.findall(r"<script\b([^>]*)>", page)
    assert scripts
    assert all("src=" in each or 'type="application/json"' in each for each in scripts)
    assert not re.search(r"<style\b|\sstyle=|\son[a-z]+=", page)


@pytest.mark.parametrize("path", PAGES)
def test_nothing_on_a_page_comes_from_another_machine(make_console, path):
    page = make_console().test_client().get(path, headers={"Accept": "text/html"}).text
    assert not re.search(r'(?:src|href|action)="(?:https?:)?//', page)


def test_pages_are_not_kept_but_scripts_and_styles_are(make_console):
    client = make_console().test_client()
    assert client.get("/").headers["Cache-Control"] == "no-store"
    assert "max-age" in client.get("/static/css/tokens.css").headers["Cache-Control"]


def test_an_error_is_a_page_for_people_and_a_problem_for_programs(make_console):
    client = make_console().test_client()
    page = client.get("/nowhere", headers={"Accept": "text/html"})
    assert (page.status_code, page.mimetype) == (404, "text/html")
    problem = client.get("/admin/nowhere", headers={"Accept": "text/html"})
    assert (problem.status_code, problem.mimetype) == (404, "application/problem+json")
    assert problem.json["type"] == "urn:mediaflow:problem:not-found"


def test_an_error_nobody_expected_is_a_problem_without_its_secrets(make_console):
    app = make_console()
    app.add_url_rule("/admin/broken", "broken", lambda: 1 / 0)
    answer = app.test_client().get("/admin/broken")
    assert answer.status_code == 500
    assert "division" not in answer.text
