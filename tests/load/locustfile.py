"""What Locust runs: users that send what is due, and the shape that says how many of them there are.

`make load` starts it through run.py. With Locust's own page: `locust -f tests/load/locustfile.py`, and the settings
of README's table in the environment.
"""

import sys
import time
from typing import Any, ClassVar

from locust import FastHttpUser, LoadTestShape, constant, events, task

from mediaflow_load import metrics
from mediaflow_load.answers import BACK_PRESSURE, Answer
from mediaflow_load.session import Session
from mediaflow_load.settings import BadSettings, LoadSettings, read_settings
from mediaflow_load.summary import Summary
from mediaflow_load.uploads import Body, Uploads

#: Users that Locust starts in a second without trouble of its own.
_MOST_AT_ONCE = 100


class Stage:
    """The run that goes on now, and the summaries of those that are over. Each begins anew."""

    def __init__(self, settings: LoadSettings) -> None:
        self.settings = settings
        self.session: Session | None = None
        self.summaries: list[Summary] = []

    def begin(self) -> None:
        """Start a run."""
        self.session = Session(self.settings, Uploads(self.settings))
        self.session.start()

    def end(self) -> Summary:
        """End the run."""
        assert self.session is not None
        self.summaries.append(self.session.finish())
        self.session = None
        return self.summaries[-1]


try:
    STAGE = Stage(read_settings())
except BadSettings as error:
    sys.stderr.write(f"mediaflow: {error}\n")
    sys.exit(2)


class Uploader(FastHttpUser):
    """Sends whatever falls due next, as soon as it is free."""

    host = STAGE.settings.host.rstrip("/")
    wait_time = constant(0)
    connection_timeout = network_timeout = STAGE.settings.timeout_s
    insecure = False  # certificates count
    default_headers: ClassVar[dict[str, str]] = {"User-Agent": "mediaflow-load"}

    @task
    def upload(self) -> None:
        """Take part in the run."""
        if STAGE.session is not None:
            STAGE.session.work(self._send)

    def _send(self, body: Body) -> Answer:
        begun = time.perf_counter()
        with self.client.post(
            body.path, data=body.data, headers=body.headers, name="/media/upload", catch_response=True
        ) as response:
            seconds = time.perf_counter() - begun
            said = str(response.error or "") if response.status_code == 0 else (response.text or "")[:200]
            answer = Answer(response.status_code or 0, seconds, (response.headers or {}).get("Retry-After"), said)
            # Locust's own count of failures, on its page, is ours.
            if answer.outcome == "accepted" or answer.outcome in BACK_PRESSURE:
                response.success()
            else:
                response.failure(f"{answer.status} {said}")
        return answer


class Profile(LoadTestShape):
    """The users follow the rate; when all is sent and answered, the run ends."""

    def tick(self) -> tuple[int, float] | None:
        """Give the number of users and how fast they come, or None at the end."""
        session = STAGE.session
        if session is None:  # Locust asks once before the start
            return 1, 1.0
        if session.over:
            return None
        wanted = session.users()
        metrics.USERS.set(self.get_current_user_count())
        return wanted, float(min(wanted, _MOST_AT_ONCE))


@events.test_start.add_listener
def _start(**_: Any) -> None:
    STAGE.begin()


@events.test_stop.add_listener
def _stop(environment: Any, **_: Any) -> None:
    summary = STAGE.end()
    metrics.USERS.set(0)
    environment.process_exit_code = 0 if summary.passed else 1
    if environment.parsed_options is not None:  # Locust's own command line: there is nobody else to tell it
        sys.stdout.write(summary.as_text() + "\n")
