"""One look for any number of pages, and the history that each begins with."""

import json
import threading
from pathlib import Path

import pytest

from console.fleet.feed import FleetFeed, TooManyViewers
from console.fleet.fleet_watch import FleetWatch
from console.fleet.history import SPAN_S, History, columns_of
from console.fleet.history_file import HistoryFile
from fleet_looks import channel, look, workers


def parsed(event: bytes) -> tuple[str, str, dict]:
    lines = dict(line.split(": ", 1) for line in event.decode().strip().split("\n"))
    return lines["event"], lines.get("id", ""), json.loads(lines["data"])


def fed(*numbers: int, viewers: int = 10) -> FleetFeed:
    feed = FleetFeed(viewers)
    for number in numbers:
        feed.publish(look(number, 1000.0 + number, channel(ready=number)))
    return feed


def test_a_page_begins_with_the_history_and_goes_on_with_looks():
    feed = fed(1, 2, 3)
    stream = feed.stream()
    name, _, history = parsed(next(stream))
    assert (name, history["whole"]) == ("history", True)
    assert history["at"] == [1001.0, 1002.0, 1003.0]
    assert history["channels"]["transcode"]["ready"] == [1, 2, 3]
    name, _, seen = parsed(next(stream))
    assert (name, seen["number"]) == ("look", 3)
    feed.publish(look(4, 1004.0))
    assert parsed(next(stream))[2]["number"] == 4


def test_a_page_that_comes_back_gets_what_it_has_missed():
    feed = fed(1, 2, 3)
    stream = feed.stream()
    next(stream)
    event_id = parsed(next(stream))[1]
    stream.close()
    for number in (4, 5):
        feed.publish(look(number, 1000.0 + number, channel(ready=number)))
    name, _, history = parsed(next(feed.stream(event_id)))
    assert (name, history["whole"]) == ("history", False)
    assert history["channels"]["transcode"]["ready"] == [4, 5]


@pytest.mark.parametrize("after", ["", "0123abcd.3", "x", "x.y.z", "9" * 400])
def test_a_page_that_saw_another_console_gets_everything(after):
    assert parsed(next(fed(1, 2, 3).stream(after)))[2]["whole"] is True


def test_a_page_that_was_away_too_long_gets_everything():
    feed = fed(1)
    event_id = parsed(next(feed.stream()))[1]
    feed.publish(look(5000, 1001.0 + 2 * SPAN_S))
    assert parsed(next(feed.stream(event_id)))[2]["whole"] is True


def test_a_look_is_encoded_once_for_all():
    feed = fed(1)
    streams = [feed.stream() for _ in range(5)]
    assert len({id(next(stream)) for stream in streams}) == 1  # the history
    assert len({id(next(stream)) for stream in streams}) == 1  # the look


def test_there_are_only_so_many_viewers_and_one_that_leaves_makes_room():
    feed = fed(1, viewers=2)
    first, _ = feed.stream(), feed.stream()
    with pytest.raises(TooManyViewers):
        feed.stream()
    first.close()
    first.close()
    assert feed.viewers == 1
    feed.stream()
    assert feed.viewers == 2


def test_a_stream_without_news_says_that_it_lives(monkeypatch):
    monkeypatch.setattr("console.fleet.feed.HEARTBEAT_S", 0.01)
    stream = fed(1).stream()
    next(stream), next(stream)
    assert parsed(next(stream))[0] == "beat"


def test_streams_end_with_the_feed():
    feed = fed(1)
    stream = feed.stream()
    next(stream), next(stream)
    threading.Timer(0.05, feed.close).start()
    assert [event for event in stream if b"beat" not in event] == []


def test_nobody_waits_for_looks_that_will_not_come():
    assert FleetFeed(1).await_look(0, 60) is None


def test_a_broker_that_was_gone_is_a_gap_and_channels_that_come_late_have_no_past():
    history = History()
    history.add(look(1, 1.0))
    history.add(look(2, 2.0, broker=False))
    history.add(look(3, 3.0, channel(workers=workers(paused=True)), channel(name="new", ready=4)))
    columns = columns_of(history.since())
    assert columns["channels"]["transcode"]["ready"] == [0, None, 0]
    assert columns["channels"]["transcode"]["paused"] == [0, None, 1]
    assert columns["channels"]["new"]["ready"] == [None, None, 4]


def test_fifteen_minutes_are_kept():
    history = History()
    for second in range(int(SPAN_S) + 100):
        history.add(look(second, float(second)))
    assert len(history.since()) == SPAN_S + 1


def test_the_history_survives_a_restart(tmp_path: Path):
    file, history, watch = HistoryFile(tmp_path / "state"), History(), FleetWatch(0)
    history.add(look(1, 100.0, channel(ready=7)))
    history.add(look(2, 101.0, broker=False))
    file.save(watch, history)
    restored = History()
    HistoryFile(tmp_path / "state").restore(FleetWatch(0), restored, now=102.0)
    assert columns_of(restored.since()) == columns_of(history.since())
    late = History()
    file.restore(FleetWatch(0), late, now=102.0 + SPAN_S)
    assert late.since() == []


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"form": 3}', b'{"form": [1], "arrivals": 3}'])
def test_a_history_that_can_not_be_read_begins_anew(tmp_path: Path, content: bytes):
    (tmp_path / "fleet-history.json").write_bytes(content)
    history = History()
    HistoryFile(tmp_path).restore(FleetWatch(0), history, now=1.0)
    assert history.since() == []


def test_a_folder_that_can_not_be_written_harms_nothing(tmp_path: Path):
    (tmp_path / "file").touch()
    HistoryFile(tmp_path / "file").save(FleetWatch(0), History())
