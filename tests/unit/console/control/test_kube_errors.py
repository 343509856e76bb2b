"""What the API server's refusals say to an operator; a server that says nothing."""

import json
import socket
import time

import pytest
from kubernetes import client

from console.control.fleet_control import ControlRefused, ControlUnavailable
from console.control.kube_api import KubeApi
from console.control.kube_errors import Absent, Call, Conflict, translate

CALL = Call("patch", "keda.sh", "scaledobjects", "films", "films-transcode")
SAID = json.dumps({"kind": "Status", "message": "it is so"}).encode()


@pytest.mark.parametrize(
    ("status", "kind", "said"),
    [
        (401, ControlUnavailable, "does not know the console's account"),
        (
            403,
            ControlUnavailable,
            "The console may not patch scaledobjects.keda.sh films-transcode in namespace films."
            " Its Role needs the verb 'patch' on scaledobjects of API group keda.sh.",
        ),
        (404, Absent, "Not found: patch scaledobjects.keda.sh films-transcode in namespace films. it is so"),
        (409, Conflict, "Somebody else changed it at the same moment"),
        (422, ControlRefused, "it is so"),
        (429, ControlUnavailable, "too much to do (429). Repeat in 7 seconds."),
        (500, ControlUnavailable, "answers 500"),
        (503, ControlUnavailable, "too much to do (503)"),
    ],
)
def test_each_refusal_is_told_with_what_to_do(status, kind, said):
    error = translate(CALL, status, {"retry-after": "7"}, SAID)
    assert type(error) is kind
    assert said in str(error)


def test_an_answer_that_is_no_status_is_told_too():
    assert "answers 502" in str(translate(CALL, 502, {}, b"<html>"))
    assert "Repeat in a few seconds" in str(translate(CALL, 429, {}, b""))


def api(port):
    return KubeApi(client.Configuration(host=f"http://127.0.0.1:{port}"), "films", timeout_s=(0.2, 0.2))


def test_a_server_that_accepts_and_says_nothing_is_given_up_in_time():
    with socket.create_server(("127.0.0.1", 0)) as silent:
        before = time.monotonic()
        with pytest.raises(ControlUnavailable, match=r"can't be reached: .*timed out"):
            api(silent.getsockname()[1]).find("apps", "deployments", "")
        assert time.monotonic() - before < 5


def test_a_server_that_is_not_there_is_named():
    with socket.create_server(("127.0.0.1", 0)) as gone:
        port = gone.getsockname()[1]
    with pytest.raises(ControlUnavailable, match=rf"http://127\.0\.0\.1:{port} can't be reached: .*refused"):
        api(port).find("apps", "deployments", "")
