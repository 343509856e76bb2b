import json
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from console.dead_letters.contents import body_view, header_text, header_views, visible


def test_json_is_indented_and_keeps_its_letters() -> None:
    view = body_view('{"a":"çay","b":[1,2]}'.encode(), 22)

    assert view.kind == "json"
    assert json.loads(view.text) == {"a": "çay", "b": [1, 2]}
    assert '\n  "a": "çay"' in view.text


@pytest.mark.parametrize(
    ("body", "kind", "text"),
    [
        (b"", "empty", ""),
        (b"<script>alert(1)</script>", "text", "<script>alert(1)</script>"),
        (b"[" * 100_000, "text", None),
        (b"1" * 10_000, "text", None),
        (b"a\x07b", "text", "a\\u0007b"),
        ("a\u202egpj".encode(), "text", "a\\u202egpj"),
        (b"\x00\x01ABC\xff", "binary", "000000  00 01 41 42 43 ff"),
    ],
)
def test_a_body_is_shown_as_what_it_is(body: bytes, kind: str, text: str | None) -> None:
    view = body_view(body, len(body))

    assert view.kind == kind
    assert text is None or view.text.startswith(text)
    assert view.is_cut is False


def test_a_cut_body_says_how_much_there_is_and_is_not_cut_within_a_letter() -> None:
    body = "ş".encode() * 10
    view = body_view(body[:5], len(body))

    assert (view.kind, view.text, view.shown, view.size, view.is_cut) == ("text", "şş", 5, 20, True)


def test_a_long_binary_shows_its_beginning() -> None:
    view = body_view(bytes(10_000), 10_000)

    assert (view.shown, view.is_cut) == (2048, True)
    assert len(view.text.splitlines()) == 128


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "—"),
        ("plain", "plain"),
        (7, "7"),
        (b"\x00\xff", "00 ff"),
        (datetime(2026, 3, 1, tzinfo=UTC), "2026-03-01T00:00:00+00:00"),
        ("\u200b", "\\u200b"),
    ],
)
def test_a_header_is_one_text(value: Any, text: str) -> None:
    assert header_text(value) == text


def test_many_and_long_headers_are_cut() -> None:
    views = header_views({f"h-{number}": "x" * 5000 for number in range(500)})

    assert len(views) == 100
    assert all(len(value) < 2100 and value.endswith("(5000 characters)") for _, value in views)


@given(st.binary(max_size=300))
def test_whatever_a_body_holds_it_is_shown(body: bytes) -> None:
    view = body_view(body, len(body))

    assert view.shown <= view.size == len(body)


@given(st.text())
def test_what_can_be_seen_stays_and_what_can_not_is_written_out(text: str) -> None:
    assert "\u202e" not in visible(text)
    assert visible("Grüße, dünya\n\t日本") == "Grüße, dünya\n\t日本"
