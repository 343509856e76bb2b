from typing import Any

import pytest
import structlog

from media_common.errors import StoreUnavailable
from media_common.progress_record import ProgressRecord


class _Store:
    """Takes what is put, or refuses it."""

    def __init__(self, *, broken: bool = False) -> None:
        self.written: list[dict[str, Any]] = []
        self._broken = broken

    def put_json(self, key: str, obj: dict[str, Any]) -> bool:
        if self._broken:
            raise StoreUnavailable("no store")
        assert key == "k"
        self.written.append(obj)
        return True


class _Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def _record(store: _Store, clock: _Clock) -> ProgressRecord:
    return ProgressRecord(store, "k", {"eventId": "e1", "attempt": 1}, structlog.get_logger(), clock=clock)  # type: ignore[arg-type]


def test_the_store_is_written_once_a_second_however_often_work_reports() -> None:
    store, clock = _Store(), _Clock()
    record = _record(store, clock)
    for tick in range(1000):  # a hundred reports a second, for ten seconds
        clock.now = 100 + tick / 100
        record.update(tick / 10)

    assert len(store.written) == 10
    assert store.written[0]["percent"] == 0.0
    assert store.written[-1]["percent"] == 90.0


@pytest.mark.parametrize(("percent", "written"), [(43.219, 43.2), (-5, 0.0), (250, 100.0), (None, None)])
def test_per_cent_are_written_with_one_decimal(percent: float | None, written: float | None) -> None:
    store = _Store()
    _record(store, _Clock()).update(percent, "encoding")

    record = store.written[0]
    assert record["percent"] == written
    assert (record["eventId"], record["attempt"], record["state"], record["step"]) == ("e1", 1, "running", "encoding")
    assert record["updatedAt"].endswith("Z")


def test_a_store_that_does_not_take_it_does_not_stop_the_work() -> None:
    with structlog.testing.capture_logs() as logs:
        _record(_Store(broken=True), _Clock()).update(10)

    assert logs[0]["event"] == "progress_not_stored"


def test_the_log_hears_of_every_tenth_of_the_way_and_of_new_steps() -> None:
    clock = _Clock()
    record = _record(_Store(), clock)
    with structlog.testing.capture_logs() as logs:
        for percent in range(101):
            clock.now += 1
            record.update(float(percent), "encoding" if percent < 95 else "packing")

    assert [entry["percent"] for entry in logs] == [0.0, 10, 20, 30, 40, 50, 60, 70, 80, 90, 95]
