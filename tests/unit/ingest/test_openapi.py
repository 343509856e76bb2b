import json
from pathlib import Path

from flask import Flask
from openapi_spec_validator import validate

import ingest
from ingest import problems
from ingest.openapi import document, document_json


def test_the_description_is_valid_openapi_3_1():
    validate(document())
    assert json.loads(document_json())["openapi"] == "3.1.0"


def test_every_address_is_described_and_nothing_else():
    described = {path.replace("{", "<").replace("}", ">") for path in document()["paths"]}
    app = Flask("probe")
    source = "".join(path.read_text() for path in Path(ingest.__file__).parent.glob("*.py"))
    routed = {
        line.split('"')[1].replace("path:name", "file").replace("asset_id", "assetId")
        for line in source.splitlines()
        if line.strip().startswith(("@app.get(", "@app.post("))
    }
    assert app is not None
    assert described == routed - {"/"}


def test_every_kind_of_problem_has_its_own_name_and_a_fitting_status():
    assert len({kind.slug for kind in problems.KINDS}) == len(problems.KINDS)
    assert all(400 <= kind.status < 600 for kind in problems.KINDS)
    assert {kind.status for kind in problems.KINDS if kind.retry_after_s} == {503, 507}


def test_an_uploads_problems_name_every_kind_by_status():
    responses = document()["paths"]["/media/upload"]["post"]["responses"]
    assert {"202", "400", "403", "408", "409", "413", "415", "422", "503", "507"} == set(responses)
    assert "upload-broken-off" in responses["400"]["description"]
    assert "Retry-After" in responses["503"]["headers"]
