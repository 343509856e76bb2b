"""Loads the front door with the profile of MEDIAFLOW_LOAD_*; the command behind `make load` and the chart's Job.

Exit codes: 0 every threshold was kept, or asked to stop · 1 one was not · 2 bad configuration · 3 the front door was
not ready within the start limit.
"""

import json
import signal
import sys
import time

import gevent
import gevent.event
import locust  # makes sockets gevent's, so it comes before whatever uses them
from locust.env import Environment
from locust.log import setup_logging

from locustfile import STAGE, Profile, Uploader
from mediaflow_load.door import DoorShut, wait_for_door
from mediaflow_load.metrics import serve_metrics
from mediaflow_load.settings import BadSettings, LoadSettings
from mediaflow_load.summary import Summary


def main() -> int:
    """Run once, or until asked to stop."""
    asked_to_stop = gevent.event.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        gevent.signal_handler(number, asked_to_stop.set)
    work = gevent.spawn(_work, STAGE.settings)
    gevent.wait([work, asked_to_stop], count=1)
    if work.ready():
        return int(work.get())
    if STAGE.session is not None:
        _tell(STAGE.settings, STAGE.end())
        return 0
    return int(any(not each.passed for each in STAGE.summaries))  # it lingered, or had not begun


def _work(settings: LoadSettings) -> int:
    setup_logging("WARNING")
    try:
        port = serve_metrics(settings.metrics_host, settings.metrics_port)
    except OSError as error:
        return _refuse(f"MEDIAFLOW_LOAD_METRICS_PORT: {settings.metrics_port} can't be listened on: {error}", 2)
    try:
        wait_for_door(settings)
    except BadSettings as error:
        return _refuse(str(error), 2)
    except DoorShut as error:
        return _refuse(str(error), 3)
    what = f"the videos of {settings.clips}" if settings.clips else "simulated assets"
    print(
        f"{settings.requests:,} uploads ({what}) to {settings.host}, up to {settings.rate:g}/s;"
        f" metrics at http://{settings.metrics_host}:{port}/metrics",
        flush=True,
    )
    environment = Environment(user_classes=[Uploader], shape_class=Profile(), events=locust.events)
    runner = environment.create_local_runner()
    runner.start_shape()
    runner.shape_greenlet.join()
    summary = STAGE.summaries[-1]
    _tell(settings, summary)
    runner.quit()
    time.sleep(settings.linger_s)
    return 0 if summary.passed else 1


def _tell(settings: LoadSettings, summary: Summary) -> None:
    print(summary.as_text(), flush=True)
    if settings.summary is not None:
        settings.summary.write_text(json.dumps(summary.as_json(), indent=2) + "\n")


def _refuse(what: str, code: int) -> int:
    print(f"mediaflow: {what}", file=sys.stderr)
    return code


if __name__ == "__main__":
    sys.exit(main())
