import json
from dataclasses import replace
from importlib import resources

from openapi_spec_validator import validate

from ingest import problems
from ingest.app import create_app
from ingest.openapi import document, document_json
from mq_common.asyncapi import asyncapi_document
from mq_common.channels import load_channels
from mq_common.channels_file import ChannelsFile
from mq_workers import eventually


def test_the_description_is_valid_openapi_3_1():
    validate(document())
    assert json.loads(document_json())["openapi"] == "3.1.0"


def test_every_address_is_described_and_nothing_else(runtime):
    described = {path.replace("{", "<").replace("}", ">") for path in document()["paths"]}
    names = {"asset_id": "assetId", "path:name": "file"}
    routed = {str(rule) for rule in create_app(runtime).flask.url_map.iter_rules()}
    for ours, theirs in names.items():
        routed = {rule.replace(f"<{ours}>", f"<{theirs}>") for rule in routed}
    assert described == routed - {"/", "/static/<path:filename>"}


def test_the_events_are_described_with_the_channels_that_there_are_now(runtime, tmp_path):
    file = tmp_path / "channels.toml"
    packaged = resources.files("mq_common").joinpath("channels.toml").read_text()
    file.write_text(packaged)
    flask = create_app(replace(runtime, channels=ChannelsFile(file, "media"))).flask.test_client()
    assert document()["externalDocs"]["url"] == "/asyncapi.json"
    events = flask.get("/asyncapi.json")
    assert events.content_type == "application/json"
    assert events.json == asyncapi_document(load_channels().values())

    preview = packaged.replace("thumbnail]", "preview]")  # the same file with another first channel
    file.write_text(preview)
    eventually(lambda: "preview" in flask.get("/asyncapi.json").json["channels"])  # the file is looked at once a second


def test_every_kind_of_problem_has_its_own_name_and_a_fitting_status():
    assert len({kind.slug for kind in problems.KINDS}) == len(problems.KINDS)
    assert all(400 <= kind.status < 600 for kind in problems.KINDS)
    assert {kind.status for kind in problems.KINDS if kind.retry_after_s} == {429, 503, 507}


def test_an_uploads_problems_name_every_kind_by_status():
    responses = document()["paths"]["/media/upload"]["post"]["responses"]
    assert {"202", "400", "403", "408", "409", "413", "415", "422", "429", "503", "507"} == set(responses)
    assert "upload-broken-off" in responses["400"]["description"]
    assert "Retry-After" in responses["503"]["headers"]
    assert "over-capacity" in responses["429"]["description"]
    assert "Retry-After" in responses["429"]["headers"]
