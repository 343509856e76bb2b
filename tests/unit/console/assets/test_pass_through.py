"""What passes through the console, from an ingest that answers anything."""

import json

import pytest
from flask import Flask
from flask_babel import Babel

from console.assets.downloads import pass_file
from console.assets.ingest_client import IngestClient
from console.assets.uploads import pass_upload
from console.problems import Problem


@pytest.fixture
def app() -> Flask:
    app = Flask("test")
    Babel(app)
    return app


def _upload(app, client, body=b"film", query="filename=a.mp4", **headers):
    sent = {"Content-Type": "video/mp4", "Idempotency-Key": "k-1"} | headers
    with app.test_request_context(f"/uploads?{query}", method="POST", data=body, headers=sent):
        return pass_upload(client)


def _file(app, client, method="GET", **headers):
    with app.test_request_context("/x", method=method, headers=headers):
        return pass_file(client, "/media/a/transcode/x", file_name="en/x.bin")


@pytest.mark.parametrize(
    ("status", "retry_after"), [(429, "7"), (503, "5"), (507, "60"), (413, None), (409, None), (422, None), (415, None)]
)
def test_what_ingest_refuses_is_told_as_it_was_told(app, double, client, status, retry_after):
    headers = {"Retry_After": retry_after} if retry_after else {}
    problem = {"type": "urn:mediaflow:problem:x", "detail": "Because."}
    double.says(problem, status=status, **headers)
    answer = _upload(app, client)
    assert (answer.status_code, answer.headers.get("Retry-After")) == (status, retry_after)
    assert json.loads(answer.data) == problem


def test_an_upload_goes_on_with_its_bytes_name_key_and_type_and_nothing_of_the_console(app, double, client):
    double.says({"assetId": "a-1"}, status=202, Location="/media/a-1")
    cookie = {"Cookie": "session=secret", "X-CSRFToken": "t", "Authorization": "Basic eA=="}
    answer = _upload(app, client, query="filename=a%20b.mp4&ownerId=ann", **cookie)
    ((method, path, headers, body),) = double.asked
    assert (method, path, body) == ("POST", "/media/upload?filename=a%20b.mp4&ownerId=ann", b"film")
    assert (headers["Idempotency-Key"], headers["Content-Type"]) == ("k-1", "video/mp4")
    assert not set(cookie) & set(headers)
    assert answer.headers["Location"] == "/assets/a-1"


def test_an_ingest_that_is_away_is_a_503_with_a_time_to_come_again(app):
    with pytest.raises(Problem) as refused:
        _upload(app, IngestClient("http://127.0.0.1:1"))
    assert (refused.value.kind.status, refused.value.kind.retry_after_s) == (503, 5)


def test_an_upload_must_say_how_long_it_is(app, client):
    context = app.test_request_context("/uploads", method="POST", headers={"Content-Type": "video/mp4"})
    with context, pytest.raises(Problem) as refused:
        pass_upload(client)
    assert refused.value.kind.status == 411


@pytest.mark.parametrize("content_type", ["text/html", "image/svg+xml", "application/xhtml+xml"])
def test_a_page_from_ingest_is_saved_and_never_shown(app, double, client, content_type):
    double.answer = (200, {"Content-Type": content_type, "Set-Cookie": "a=b"}, b"<script>")
    answer = _file(app, client)
    assert answer.headers["Content-Type"] == "application/octet-stream"
    assert answer.headers["Content-Disposition"] == 'attachment; filename="x.bin"'
    assert "Set-Cookie" not in answer.headers
    assert b"".join(answer.iter_encoded()) == b"<script>"


@pytest.mark.parametrize("location", ["file:///etc/passwd", "/elsewhere", "ftp://x/", ""])
def test_a_redirect_leads_to_a_store_or_nowhere(app, double, client, location):
    double.answer = (307, {"Location": location}, b"")
    with pytest.raises(Problem) as refused:
        _file(app, client)
    assert refused.value.kind.status == 503


def test_a_redirect_to_the_store_is_followed_with_the_range_and_without_anything_else(app, double, client):
    double.answer = (307, {"Location": f"{double.url}/bucket/x?signature=s"}, b"")
    with pytest.raises(Problem) as refused:  # to where it came from, which sends on again: once is enough
        _file(app, client, Range="bytes=0-1", Cookie="session=secret", Authorization="Basic eA==")
    assert refused.value.kind.status == 503
    (first, second) = double.asked
    assert (second[0], second[1]) == ("GET", "/bucket/x?signature=s")
    for _, _, headers, _ in (first, second):
        assert headers["Range"] == "bytes=0-1"
        assert not {"Cookie", "Authorization"} & set(headers)


def test_a_file_that_there_is_none_of_is_a_404_in_ingests_words(app, double, client):
    double.says({"type": "urn:mediaflow:problem:output-not-found", "detail": "No channel has made it."}, status=404)
    with pytest.raises(Problem) as refused:
        _file(app, client)
    assert (refused.value.kind.status, refused.value.detail) == (404, "No channel has made it.")
