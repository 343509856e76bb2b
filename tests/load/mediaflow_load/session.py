"""One run: a clock hands out uploads as they fall due, users send them, and every answer is counted."""

import time
from collections.abc import Callable

import gevent
from gevent.event import Event
from gevent.queue import Empty, SimpleQueue

from mediaflow_load import metrics
from mediaflow_load.agenda import Agenda, Upload
from mediaflow_load.answers import BACK_PRESSURE, Answer
from mediaflow_load.profile import Profile
from mediaflow_load.settings import LoadSettings
from mediaflow_load.summary import Summary
from mediaflow_load.tally import Tally
from mediaflow_load.uploads import Body, Uploads

#: Seconds a user waits for work before it looks whether it is still wanted.
_IDLE_S = 0.5
#: Uploads that were asked to come again at the same moment don't: up to this share of the wait is added.
_SPREAD = 0.1

Send = Callable[[Body], Answer]


class Session:
    """Everything that one run knows. Used by greenlets of one thread."""

    def __init__(self, settings: LoadSettings, uploads: Uploads) -> None:
        self.settings = settings
        self.profile = Profile(settings.rate, settings.requests, settings.ramp_s)
        self.tally = Tally()
        self._uploads = uploads
        self._agenda = Agenda(self.profile)
        self._due: SimpleQueue[Upload] = SimpleQueue()
        self._changed = Event()
        self._started_at = time.monotonic()
        self._last_end_s = 0.0
        self._clock: gevent.Greenlet | None = None

    def start(self) -> None:
        """Begin: uploads fall due from now on."""
        self._started_at = time.monotonic()
        self._clock = gevent.spawn(self._hand_out)

    @property
    def elapsed_s(self) -> float:
        """Seconds since the start."""
        return time.monotonic() - self._started_at

    @property
    def over(self) -> bool:
        """Whether every upload has ended, or those that are left were waited for long enough."""
        late = self.elapsed_s > self.profile.duration_s + self.settings.patience_s
        return self.tally.uploads >= self.settings.requests or late

    def users(self) -> int:
        """Give the users that are wanted now, and tell Prometheus."""
        metrics.TARGET_RATE.set(self.profile.rate_at(self.elapsed_s))
        return self.profile.users_at(self.elapsed_s, self.settings.users)

    def work(self, send: Send) -> None:
        """Send one upload as soon as one is due; return after a while when none is."""
        try:
            upload = self._due.get(timeout=_IDLE_S)
        except Empty:
            return
        metrics.DUE.set(self._due.qsize())
        now = self.elapsed_s
        self.tally.count_sent(now, now - upload.due_s if upload.tries == 0 else None)
        upload.tries += 1
        with metrics.IN_FLIGHT.track_inprogress():
            answer = send(self._uploads.body(upload.number))
        self._take(upload, answer)

    def finish(self) -> Summary:
        """End the run and give its summary; uploads that wait to come again are given up."""
        if self._clock is not None:
            self._clock.kill()
        stopped = not self.over
        metrics.TARGET_RATE.set(0)
        if not stopped:
            left = self.settings.requests - self.tally.uploads
            self.tally.ends["given_up"] += left
            metrics.UPLOADS.labels("given_up").inc(left)
        return Summary(self.settings, self.tally, self._last_end_s, stopped)

    def _hand_out(self) -> None:
        while True:
            self._changed.clear()
            due_s = self._agenda.next_due_s
            wait_s = None if due_s is None else due_s - self.elapsed_s
            if wait_s is None or wait_s > 0:
                self._changed.wait(wait_s)
                continue
            self._due.put(self._agenda.take())
            metrics.DUE.set(self._due.qsize())
            metrics.COMING_AGAIN.set(self._agenda.waiting)

    def _take(self, upload: Upload, answer: Answer) -> None:
        self.tally.count_answer(answer)
        self._last_end_s = self.elapsed_s
        outcome = answer.outcome
        metrics.REQUESTS.labels(outcome).inc()
        metrics.RESPONSE_SECONDS.labels(outcome).observe(answer.seconds)
        if outcome in BACK_PRESSURE and upload.tries <= self.settings.retries:
            wait_s = answer.wait_s(time.time())
            spread = _SPREAD * wait_s * (upload.number % 100) / 100
            self._agenda.again(upload, self.elapsed_s + wait_s + spread)
            metrics.COMING_AGAIN.set(self._agenda.waiting)
            self._changed.set()
            return
        end = "accepted" if outcome == "accepted" else "given_up" if outcome in BACK_PRESSURE else "failed"
        self.tally.ends[end] += 1
        metrics.UPLOADS.labels(end).inc()
