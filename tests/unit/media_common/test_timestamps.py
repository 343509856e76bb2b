from datetime import UTC, datetime, timedelta, timezone

from hypothesis import given
from hypothesis import strategies as st

from media_common.timestamps import moment_of, now, rfc3339


def test_a_time_is_written_in_utc_to_the_millisecond() -> None:
    moment = datetime(2026, 3, 1, 9, 15, 30, 250_999, tzinfo=timezone(timedelta(hours=1)))

    assert rfc3339(moment) == "2026-03-01T08:15:30.250Z"


def test_a_naive_time_is_taken_as_utc() -> None:
    assert rfc3339(datetime(2026, 3, 1)) == "2026-03-01T00:00:00.000Z"


@given(st.datetimes(timezones=st.just(UTC)))
def test_a_written_time_reads_back(moment: datetime) -> None:
    read = moment_of(rfc3339(moment))

    assert read is not None
    assert timedelta(0) <= moment - read < timedelta(milliseconds=1)


def test_what_is_no_time_is_none() -> None:
    assert moment_of(None) is None
    assert moment_of("soon") is None
    assert moment_of(12) is None


def test_now_is_now() -> None:
    read = moment_of(now())

    assert read is not None
    assert abs(datetime.now(UTC) - read) < timedelta(seconds=5)
