"""What people see: status, progress, logs."""

import io

import pytest
from rich.console import Console

from local_fleet.errors import FleetError
from local_fleet.log_reader import find_logs, print_logs
from local_fleet.progress import progress_view
from local_fleet.run_folder import RunFolder
from local_fleet.status_view import duration, print_status
from mq_common.management import QueueDepth

CHANNEL = {
    "queue": "media.subtitle",
    "workers": 2,
    "wanted": 2,
    "paused": False,
    "held": False,
    "scaled_by": "hand",
    "min": 1,
    "max": 4,
}

STATUS = {
    "broker": {"kind": "private node", "address": "amqp://127.0.0.1:1", "amqp_url": "", "management_url": None},
    "console": "http://localhost:8090",
    "ingest": "http://localhost:8080",
    "autoscale": False,
    "channels": {"subtitle": CHANNEL},
    "replays": [],
    "processes": [
        {
            "name": "subtitle-1",
            "state": "restarting",
            "pid": None,
            "uptime": None,
            "restarts": 3,
            "memory": None,
            "reason": "killed by SIGKILL",
            "address": None,
        }
    ],
}


def console() -> Console:
    return Console(file=io.StringIO(), width=160)


def test_status_shows_processes_queues_and_addresses():
    out = console()
    depths = {
        "media.subtitle": QueueDepth(ready=7, unacked=2, total=9, consumers=1),
        "media.subtitle.dlq": QueueDepth(ready=4, unacked=0, total=4, consumers=0),
    }
    print_status(STATUS, depths, out)
    lines = [line.split() for line in out.file.getvalue().splitlines()]
    assert ["subtitle-1", "restarting", "-", "-", "3", "-", "killed", "by", "SIGKILL", "-"] in lines
    assert ["media.subtitle", "7", "2", "1", "4", "2"] in lines
    assert ["ingest", "http://localhost:8080"] in lines


def test_status_shows_that_a_channel_is_paused_and_with_how_many_workers_it_goes_on():
    out = console()
    paused = CHANNEL | {"workers": 0, "paused": True, "wanted": 3}
    print_status(STATUS | {"channels": {"subtitle": paused}}, {}, out)
    assert ["media.subtitle", "-", "-", "-", "-", "paused", "(3)"] in [
        line.split() for line in out.file.getvalue().splitlines()
    ]


@pytest.mark.parametrize(("held", "said"), [(False, "2, autoscaled 1–4"), (True, "2, held")])
def test_status_shows_whether_the_autoscaler_decides(held, said):
    out = console()
    channel = CHANNEL | {"scaled_by": "autoscaler", "held": held}
    print_status(STATUS | {"channels": {"subtitle": channel}}, {}, out)
    assert said in out.file.getvalue()


def test_status_shows_the_replays_that_run():
    out = console()
    replay = {"channel": "subtitle", "stopping": True, "progress": {"seen": 5, "total": 12, "moved": 3}}
    print_status(STATUS | {"replays": [replay]}, {}, out)
    assert "replay of subtitle: looked at 5 of 12, moved 3 (stopping)" in out.file.getvalue()


def test_status_says_why_there_are_no_queues():
    out = console()
    print_status(STATUS, "the broker does not answer", out)
    assert "queues: the broker does not answer" in out.file.getvalue()


@pytest.mark.parametrize(
    ("seconds", "said"), [(None, "-"), (0.4, "0 s"), (59, "59 s"), (61, "1 min"), (7500, "2 h 5 min")]
)
def test_durations_are_brief(seconds, said):
    assert duration(seconds) == said


def test_without_a_terminal_progress_is_a_line_for_each_change_and_quarter():
    out = console()
    with progress_view(out) as view:
        for percent in (0, 3, 26, 30, 80):
            view.show({"transcode": {"state": "running", "percent": percent}})
        view.show({"transcode": {"state": "done", "percent": 100}})
    said = [" ".join(line.split()) for line in out.file.getvalue().splitlines()]
    assert said == ["transcode running 0 %", "transcode running 26 %", "transcode running 80 %", "transcode done"]


def test_logs_are_found_by_process_and_by_channel(tmp_path):
    folder = RunFolder(tmp_path)
    folder.prepare()
    for name in ("ingest", "thumbnail-1", "thumbnail-2", "supervisor"):
        (folder.logs / f"{name}.log").write_text(f"1 {name}\n2 {name}\n")
    assert set(find_logs(folder, "thumbnail")) == {"thumbnail-1", "thumbnail-2"}
    assert set(find_logs(folder, None)) == {"ingest", "thumbnail-1", "thumbnail-2", "supervisor"}
    with pytest.raises(FleetError, match="thumbnail-1"):
        find_logs(folder, "poster")
    said = []
    print_logs(find_logs(folder, "ingest"), lambda *line: said.append(line), lines=1, follow=False)
    assert said == [("ingest", "2 ingest")]
