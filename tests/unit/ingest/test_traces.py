import re

import pytest

from ingest.traces import next_traceparent

TRACE, PARENT = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"


def test_an_incoming_trace_goes_on_under_a_new_parent():
    made = next_traceparent(f"00-{TRACE}-{PARENT}-00")
    assert re.fullmatch(f"00-{TRACE}-[0-9a-f]{{16}}-00", made)
    assert PARENT not in made


@pytest.mark.parametrize(
    "incoming",
    [
        None,
        "",
        "nonsense",
        f"ff-{TRACE}-{PARENT}-01",
        f"00-{'0' * 32}-{PARENT}-01",
        f"00-{TRACE}-{'0' * 16}-01",
        f"00-{TRACE.upper()}-{PARENT}-01",
        f"00-{TRACE}-{PARENT}",
        f"00-{TRACE}-{PARENT}-01\nx",
    ],
)
def test_without_a_valid_trace_a_new_one_begins(incoming):
    made = next_traceparent(incoming)
    assert re.fullmatch("00-[0-9a-f]{32}-[0-9a-f]{16}-01", made)
    assert TRACE not in made


def test_each_new_trace_is_another():
    assert len({next_traceparent(None) for _ in range(100)}) == 100
