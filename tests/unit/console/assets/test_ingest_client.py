"""The client of ingest's API, against a server that answers what it is told to."""

import json
import socket

import pytest

from console.assets.ingest_client import IngestClient
from console.assets.ingest_errors import AnswerNotUnderstood, IngestRefused, IngestUnavailable


def test_a_burst_is_one_request_and_gives_ingests_report(double, client):
    double.says({"burstId": "burst-1", "accepted": 5, "confirmed": 5}, status=202)
    assert client.burst(5, "ann")["confirmed"] == 5
    ((method, path, headers, body),) = double.asked
    assert (method, path, headers["Content-Type"]) == ("POST", "/media/burst", "application/json")
    assert json.loads(body) == {"count": 5, "ownerId": "ann"}


@pytest.mark.parametrize(("told", "allowed"), [(True, True), (False, False), ("true", False), (None, False)])
def test_simulation_is_allowed_where_ingest_says_so(double, client, told, allowed):
    double.says({"simulated": told})
    assert client.allows_simulation() is allowed


def test_a_search_goes_as_a_query_and_an_asset_by_its_address(double, client):
    client.assets({"q": "talk-1", "owner": "ann & co", "include": "status"})
    client.asset("a/../b?c")
    assert [path for _, path, _, _ in double.asked] == [
        "/media?q=talk-1&owner=ann+%26+co&include=status",
        "/media/a%2F..%2Fb%3Fc",
    ]
    assert all(headers["Accept"] == "application/json" for _, _, headers, _ in double.asked)


def test_a_problem_is_told_with_its_kind_its_sentence_and_when_to_come_again(double, client):
    problem = {"type": "urn:mediaflow:problem:over-capacity", "detail": "The queues are full.", "confirmed": 3}
    double.says(problem, status=429, Retry_After="7")
    with pytest.raises(IngestRefused) as refused:
        client.burst(5)
    error = refused.value
    assert (error.status, error.kind, error.retry_after_s, str(error)) == (429, "over-capacity", 7, problem["detail"])
    assert error.members["confirmed"] == 3


def test_an_error_that_is_no_problem_document_has_its_status_in_words(double, client):
    double.answer = (502, {"Retry-After": "soon"}, b"<html>Bad gateway</html>")
    with pytest.raises(IngestRefused, match="status 502") as refused:
        client.capabilities()
    assert (refused.value.kind, refused.value.retry_after_s) == ("status-502", None)


def test_something_else_at_the_address_is_named(double, client):
    double.answer = (200, {}, b"<html>Welcome</html>")
    with pytest.raises(AnswerNotUnderstood, match="not Mediaflow's ingest"):
        client.capabilities()


def test_an_ingest_that_is_away_is_named_with_the_reason():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    with pytest.raises(IngestUnavailable, match=rf"127\.0\.0\.1:{port} can't be reached \(Connection refused\)"):
        IngestClient(f"http://127.0.0.1:{port}").capabilities()


def test_an_ingest_that_does_not_answer_is_given_up_within_the_limit():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        client = IngestClient(f"http://127.0.0.1:{listener.getsockname()[1]}", read_s=0.1)
        with pytest.raises(IngestUnavailable, match="timed out"):
            client.capabilities()


def test_what_changes_nothing_is_asked_once_more_when_the_connection_breaks(double, client):
    double.says({"simulated": True})
    double.drops = 1
    assert client.allows_simulation()
    assert len(double.asked) == 2


def test_a_burst_is_never_sent_twice(double, client):
    double.drops = 1
    with pytest.raises(IngestUnavailable):
        client.burst(5)
    assert len(double.asked) == 1


def test_a_redirect_is_not_followed(double, client):
    double.answer = (307, {"Location": "http://127.0.0.1:9/elsewhere"}, b"")
    answer = client.open("GET", "/media/a/transcode/x.m4s", headers={})
    assert answer.status == 307
    answer.close()


def test_a_streamed_body_goes_out_with_its_length(double, client):
    answer = client.open("POST", "/media/upload", headers={"Content-Length": "6"}, body=iter([b"abc", b"def"]))
    assert answer.status == 200
    answer.release_conn()
    ((_, _, headers, body),) = double.asked
    assert (headers["Content-Length"], headers.get("Transfer-Encoding"), body) == ("6", None, b"abcdef")
