import pytest
from hypothesis import given
from hypothesis import strategies as st

from mq_common.quantities import parse_duration
from replayer.quantities import parse_rate, say_age


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("90s", 90), ("15m", 900), ("1h", 3600), ("1h30m", 5400), ("2d", 172800), ("0.5h", 1800), ("1d1h1m1s", 90061)],
)
def test_a_duration_is_read(text: str, seconds: float) -> None:
    assert parse_duration(text) == seconds


@pytest.mark.parametrize("text", ["", "1", "h", "1 h", "-1h", "1w", "1h!", "1h\n", "one hour", "1.h", "٣h"[1:]])
def test_what_is_no_duration_is_refused_with_examples(text: str) -> None:
    with pytest.raises(ValueError, match="no duration: write it like 90s"):
        parse_duration(text)


@pytest.mark.parametrize(
    ("text", "per_second"), [("50/s", 50), ("50", 50), ("600/m", 10), ("36/h", 0.01), ("2.5/s", 2.5), ("8640/d", 0.1)]
)
def test_a_rate_is_read(text: str, per_second: float) -> None:
    assert parse_rate(text) == pytest.approx(per_second)


@pytest.mark.parametrize("text", ["", "0/s", "0", "-5/s", "5/x", "5/", "/s", "5 /s", "fast", "nan", "inf"])
def test_what_is_no_rate_is_refused_with_examples(text: str) -> None:
    with pytest.raises(ValueError, match="no rate: write it like 50/s"):
        parse_rate(text)


@given(st.text(max_size=12))
def test_any_text_is_a_duration_or_refused_and_never_negative(text: str) -> None:
    try:
        assert parse_duration(text) >= 0
    except ValueError as error:
        assert "no duration" in str(error)


@pytest.mark.parametrize(
    ("seconds", "said"),
    [(None, "-"), (0, "0 s"), (59.9, "59 s"), (60, "1 min"), (3661, "1 h 1 min"), (90000, "1 d 1 h"), (86400, "1 d")],
)
def test_an_age_is_said_in_its_two_largest_units(seconds: float | None, said: str) -> None:
    assert say_age(seconds) == said
