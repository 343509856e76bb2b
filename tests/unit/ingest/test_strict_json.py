import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.fields import checked
from ingest.models import SimulatedUpload
from ingest.problems import Problem
from ingest.strict_json import parse_object


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"[]",
        b'"text"',
        b"12",
        b"null",
        b"{'assetId': 1}",
        b'{"a": 1,}',
        b'{"assetId": "\xff\xfe"}',
        '{"assetId": "x"}'.encode("utf-16"),
        b"[" * 10_000,
        b"[" * 10_000 + b"]" * 10_000,
        b'{"a":' * 10_000 + b"1" + b"}" * 10_000,
        b'{"a":' * 900 + b"1" + b"}" * 900 + b"x",
        b'{"durationSec": NaN}',
        b'{"durationSec": Infinity}',
        b'{"x": -Infinity}',
        b'{"assetId": "a", "assetId": "b"}',
        b'{"a": {"b": 1, "b": 2}}',
        b'{"assetId": "\\ud800"}',
        b'{"a": 1} {"b": 2}',
        b"\x00",
        b"\xef\xbb\xbf{}",
    ],
    ids=lambda body: repr(body[:24]),
)
def test_what_is_not_one_clean_object_is_refused_with_400(body):
    with pytest.raises(Problem) as refused:
        parse_object(body)
    assert refused.value.kind.status == 400


def test_a_deep_but_allowed_object_ends_in_an_object_or_a_400():
    body = b'{"a":' * 1000 + b"1" + b"}" * 1000
    try:
        assert "a" in parse_object(body)
    except Problem as problem:
        assert problem.kind.status == 400


def test_colons_inside_values_are_no_duplicate_keys():
    assert parse_object(b'{"assetId": "x", "note": "a:b:c", "more": {"k": 1}}')["note"] == "a:b:c"


@given(st.binary(max_size=200))
def test_any_bytes_give_an_object_or_a_400(body):
    try:
        assert isinstance(parse_object(body), dict)
    except Problem as problem:
        assert problem.kind.status == 400


@pytest.mark.parametrize(
    ("values", "field"),
    [
        ({"ownerId": "o"}, "assetId"),
        ({"assetId": "a"}, "ownerId"),
        ({"assetId": 1, "ownerId": "o"}, "assetId"),
        ({"assetId": None, "ownerId": "o"}, "assetId"),
        ({"assetId": "", "ownerId": "o"}, "assetId"),
        ({"assetId": "../x", "ownerId": "o"}, "assetId"),
        ({"assetId": ".hidden", "ownerId": "o"}, "assetId"),
        ({"assetId": "a/b", "ownerId": "o"}, "assetId"),
        ({"assetId": "a\n", "ownerId": "o"}, "assetId"),
        ({"assetId": "a" * 129, "ownerId": "o"}, "assetId"),
        ({"assetId": "a", "ownerId": ""}, "ownerId"),
        ({"assetId": "a", "ownerId": ["o"]}, "ownerId"),
        ({"assetId": "a", "ownerId": "o" * 129}, "ownerId"),
        ({"assetId": "a", "ownerId": "o", "durationSec": "120"}, "durationSec"),
        ({"assetId": "a", "ownerId": "o", "durationSec": -1}, "durationSec"),
        ({"assetId": "a", "ownerId": "o", "durationSec": True}, "durationSec"),
        ({"assetId": "a", "ownerId": "o", "durationSec": 1e300}, "durationSec"),
        ({"assetId": "a", "ownerId": "o", "durationSec": 10**30}, "durationSec"),
        ({"assetId": "a", "ownerId": "o", "durationSec": {}}, "durationSec"),
    ],
)
def test_a_wrong_field_is_refused_with_422_and_named(values, field):
    with pytest.raises(Problem) as refused:
        checked(SimulatedUpload, values)
    assert refused.value.kind.status == 422
    assert [error["field"] for error in refused.value.members["errors"]] == [field]


def test_unknown_fields_are_ignored_and_whole_numbers_are_numbers():
    upload = checked(SimulatedUpload, {"assetId": "a", "ownerId": "o", "durationSec": 120, "colour": "red"})
    assert upload.duration_sec == 120.0
