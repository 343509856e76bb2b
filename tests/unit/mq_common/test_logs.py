"""Log lines: their two forms, and that a gathered one is never lost and never out of its order."""

import io
import json
import logging
import sys
import threading
from collections.abc import Callable, Iterator

import pytest
import structlog
from structlog.dev import ConsoleRenderer, plain_traceback

from mq_common._log_outlet import Outlet
from mq_common.logs import GATHERED, configure_logging, write_out
from mq_common.settings import LogSettings


@pytest.fixture(autouse=True)
def restored() -> Iterator[None]:
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    yield
    root.handlers[:] = handlers
    root.setLevel(level)
    structlog.reset_defaults()


@pytest.fixture
def written(capsysbinary: pytest.CaptureFixture[bytes]) -> Callable[[], str]:
    seen = bytearray()

    def so_far() -> str:
        seen.extend(capsysbinary.readouterr().err)
        return seen.decode()

    return so_far


FIELDS = [
    {},
    {"asset_id": "a-1", "seconds": 0.25, "attempt": 1, "fresh": True, "nothing": None},
    {"text": "with spaces", "quotes": 'it\'s "so"', "equals": "a=b", "empty": "", "emoji": "🎬"},
    {"number": {"a": [1]}, "path": "/media/a.mp4", "service": "other"},
]


@pytest.mark.parametrize("fields", FIELDS)
def test_a_console_line_is_what_structlogs_own_renderer_gives(
    written: Callable[[], str], fields: dict[str, object]
) -> None:
    configure_logging("thumbnail", LogSettings(log_format="console"))
    structlog.get_logger().warning("job_rejected", **fields)

    line = written().removesuffix("\n")
    moment = line.split(" ", 1)[0]
    event = {"service": "thumbnail", **fields, "timestamp": moment, "level": "warning", "event": "job_rejected"}
    assert line == ConsoleRenderer(colors=False, exception_formatter=plain_traceback)(None, "warning", event)


def test_a_value_can_neither_end_a_console_line_nor_command_the_terminal(written: Callable[[], str]) -> None:
    configure_logging("thumbnail", LogSettings(log_format="console"))
    structlog.get_logger().info("seen", name="a\nb\x1b[2Jc\x9b\udcff")

    (line,) = written().splitlines()
    assert "name='a\\nb\\x1b[2Jc\\x9b\\udcff'" in line


@pytest.mark.parametrize("log_format", ["console", "json"])
def test_an_exception_is_logged_with_its_traceback(written: Callable[[], str], log_format: str) -> None:
    configure_logging("thumbnail", LogSettings.model_validate({"log_format": log_format}))
    try:
        raise KeyError("why")
    except KeyError:
        structlog.get_logger().exception("broke")

    assert "Traceback" in written()
    assert "KeyError: 'why'" in written()
    assert ("[error" if log_format == "console" else '"level":"error"') in written()


def test_json_lines_hold_level_service_and_time(written: Callable[[], str]) -> None:
    configure_logging("thumbnail", LogSettings(log_format="json"))
    log = structlog.get_logger()
    log.info("job_done", asset_id="a", where=sys)
    log.debug("unseen")

    (line,) = written().splitlines()
    record = json.loads(line)
    assert record.pop("timestamp").endswith("Z")
    assert record.pop("where").startswith("<module")
    assert record == {"event": "job_done", "level": "info", "service": "thumbnail", "asset_id": "a"}


def test_gathered_lines_wait_and_are_then_written_in_order_before_any_later_line(written: Callable[[], str]) -> None:
    configure_logging("thumbnail", LogSettings(log_format="json"))
    usual, gathered = structlog.get_logger(), structlog.get_logger(GATHERED)

    gathered.info("first")
    gathered.info("second")
    assert written() == ""
    write_out()
    gathered.info("third")
    usual.info("fourth")
    gathered.info("fifth")
    gathered.error("sixth")
    write_out()

    events = [json.loads(line)["event"] for line in written().splitlines()]
    assert events == ["first", "second", "third", "fourth", "fifth", "sixth"]


def test_lines_of_many_threads_are_each_written_whole_and_once() -> None:
    outlet, stream = Outlet(), io.BytesIO()
    outlet.open(stream)

    def gather(thread: int) -> None:
        for number in range(500):
            outlet.gather(b"%d-%d" % (thread, number))
            if number % 7 == 0:
                outlet.write_out()

    threads = [threading.Thread(target=gather, args=(thread,)) for thread in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    outlet.write_out()

    lines = stream.getvalue().splitlines()
    assert sorted(lines) == sorted(b"%d-%d" % (thread, number) for thread in range(4) for number in range(500))


def test_a_stream_that_takes_nothing_any_more_stops_nobodys_work() -> None:
    class FullDisk(io.BytesIO):
        def write(self, _: object) -> int:
            raise OSError(28, "No space left on device")

    closed = io.BytesIO()
    closed.close()
    for stream in (FullDisk(), closed):
        outlet = Outlet()
        outlet.open(stream)
        outlet.gather(b"kept")
        outlet.write(b"line")
        outlet.write_out()
