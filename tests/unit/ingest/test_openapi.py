import json

from openapi_spec_validator import validate

from ingest import problems
from ingest.app import create_app
from ingest.openapi import document, document_json


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
