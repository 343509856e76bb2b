"""Queue arguments by broker version, and a mismatch in words."""

import pytest

from mq_common.channels import load_channels
from mq_common.connection import parse_version
from mq_common.headers import without_broker_headers
from mq_common.topology import dead_letter_queue_arguments, explain_mismatch, queue_arguments


@pytest.mark.parametrize(
    ("version", "unlimited"), [("3.10.8", None), ("3.13.7", None), ("4.0.5", -1), ("4.3.1", -1), ("", -1)]
)
def test_a_dead_letter_queue_never_drops_on_any_version(version: str, unlimited: int | None) -> None:
    arguments = dead_letter_queue_arguments(parse_version(version))

    assert arguments.get("x-delivery-limit") == unlimited
    assert not {"x-max-length", "x-message-ttl", "x-dead-letter-exchange", "x-expires"} & set(arguments)


def test_a_work_queue_dead_letters_at_least_once_to_its_own_queue() -> None:
    spec = load_channels()["subtitle"]

    arguments = queue_arguments(spec)

    assert arguments["x-queue-type"] == "quorum"
    assert arguments["x-delivery-limit"] == 3
    assert arguments["x-dead-letter-strategy"] == "at-least-once"
    assert arguments["x-overflow"] == "reject-publish"
    assert arguments["x-dead-letter-routing-key"] == "subtitle"
    assert arguments["x-consumer-timeout"] > spec.job_time_limit_s * 1000
    assert "x-max-length" not in arguments


def test_a_mismatch_names_queue_argument_both_values_and_the_way_out() -> None:
    text = (
        "PRECONDITION_FAILED - inequivalent arg 'x-delivery-limit' for queue 'media.transcode' in vhost '/': "
        "received the value '10' of type 'signedint' but current is the value '5' of type 'signedint'"
    )

    line = explain_mismatch(text, "media.transcode")

    assert "queue media.transcode exists with x-delivery-limit = 5, but the channels file wants 10" in line
    assert "delete it" in line


def test_headers_of_a_message_published_again_are_its_publishers_own() -> None:
    headers = {
        "traceparent": "00-a",
        "x-death": [{"count": 1}],
        "x-first-death-queue": "q",
        "x-last-death-reason": "rejected",
        "x-delivery-count": 2,
        "x-acquired-count": 3,
        "replay-count": 1,
    }

    assert without_broker_headers(headers) == {"traceparent": "00-a", "replay-count": 1}
    assert without_broker_headers(None) == {}
