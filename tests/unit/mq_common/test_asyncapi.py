"""The published contract says what the code does."""

import json

import jsonschema
import pytest

from mq_common.asyncapi import asyncapi_document, event_schema
from mq_common.channels import load_channels
from mq_common.events import MediaEvent, Source


@pytest.mark.parametrize(
    "source", [None, Source(key="assets/a/source", size=1, sha256="a" * 64, content_type="video/mp4")]
)
def test_every_event_we_send_satisfies_the_published_schema(source: Source | None) -> None:
    event = MediaEvent.create(asset_id="a", owner_id="u", duration_sec=2, source=source)

    jsonschema.Draft202012Validator(event_schema()).validate(json.loads(event.to_body()))


def test_the_schema_refuses_what_the_code_refuses() -> None:
    body = json.loads(MediaEvent.create(asset_id="a", owner_id="u").to_body()) | {"assetId": "../etc"}

    with pytest.raises(jsonschema.ValidationError):
        jsonschema.Draft202012Validator(event_schema()).validate(body)


def test_the_document_lists_every_channels_queue_and_resolves_its_references() -> None:
    channels = load_channels()
    document = asyncapi_document(channels.values())

    assert {spec.queue for spec in channels.values()} <= {each["address"] for each in document["channels"].values()}
    for operation in document["operations"].values():
        assert operation["channel"]["$ref"].removeprefix("#/channels/") in document["channels"]
