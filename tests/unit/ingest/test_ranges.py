import doctest
from datetime import UTC, datetime

import pytest

from ingest import ranges
from ingest.ranges import Span, Unsatisfiable, range_applies, wanted_span

MODIFIED = datetime(2026, 1, 2, 3, 4, 5, 678, tzinfo=UTC)


@pytest.mark.parametrize(
    ("header", "span"),
    [
        (None, None),
        ("bytes=0-0", Span(0, 1)),
        ("bytes=0-99", Span(0, 100)),
        ("bytes=0-1000", Span(0, 100)),
        ("bytes=10-", Span(10, 100)),
        ("bytes=-5", Span(95, 100)),
        ("bytes=-500", Span(0, 100)),
        ("bytes=99-", Span(99, 100)),
        ("bytes=0-1,5-6", None),
        ("items=0-1", None),
        ("bytes=5-1", None),
        ("bytes=a-b", None),
        ("nonsense", None),
    ],
)
def test_one_span_is_taken_and_what_may_be_ignored_is(header, span):
    assert wanted_span(header, 100) == span


@pytest.mark.parametrize(("header", "length"), [("bytes=100-", 100), ("bytes=1000-2000", 100), ("bytes=0-0", 0)])
def test_a_range_beyond_the_file_is_unsatisfiable(header, length):
    with pytest.raises(Unsatisfiable):
        wanted_span(header, length)


@pytest.mark.parametrize(
    ("if_range", "applies"),
    [
        (None, True),
        ('"v1"', True),
        ('"v2"', False),
        ('W/"v1"', False),
        ("Fri, 02 Jan 2026 03:04:05 GMT", True),
        ("Fri, 02 Jan 2026 03:04:06 GMT", False),
        ("nonsense", False),
    ],
)
def test_a_part_is_given_only_of_the_version_that_the_client_has(if_range, applies):
    assert range_applies(if_range, '"v1"', MODIFIED) is applies


def test_the_examples_in_the_docstrings_hold():
    assert doctest.testmod(ranges).failed == 0
