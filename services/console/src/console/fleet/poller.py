"""The one thread that looks at the fleet once a second, for all viewers and whether anybody looks or not.

The history has to be there when somebody comes, so it goes on by night: that costs the broker a few milliseconds of
work a second (README has the figures). Whoever runs the workers is asked by a second thread, for an orchestrator that
hangs must not make the queues' numbers old.
"""

import contextlib
import threading
import time
from collections.abc import Callable, Mapping

import structlog

from console.control.fleet_control import ControlError, FleetControl, FleetView
from console.fleet.feed import FleetFeed
from console.fleet.fleet_watch import FleetWatch
from console.fleet.history_file import HistoryFile
from console.fleet.looks import FleetLook, Reading
from mq_common.channels import ChannelSpec
from mq_common.errors import MediaflowError

log = structlog.get_logger()

#: Seconds between two looks.
INTERVAL_S = 1.0
#: Seconds between two looks at the workers: the supervisor's socket is near, an orchestrator's API is not.
CONTROL_INTERVAL_S = {"local": 1.0}
USUAL_CONTROL_INTERVAL_S = 2.0
#: Seconds between two writes of the history file.
SAVE_S = 10.0
#: Seconds after which a view of the workers is too old to be shown as of now.
STALE_VIEW_S = 15.0


class Poller:
    """Reads broker and workers, and publishes what it makes of them. ``start`` and ``stop`` it once, after the fork."""

    def __init__(
        self,
        read: Callable[[], Reading],
        control: FleetControl,
        channels: Callable[[], Mapping[str, ChannelSpec]],
        feed: FleetFeed,
        *,
        file: HistoryFile | None = None,
        close: Callable[[], None] = lambda: None,
        on_look: Callable[[FleetLook, float], None] = lambda _look, _took_s: None,
    ) -> None:
        self._read = read
        self._channels = channels
        self._feed = feed
        self._file = file
        self._close = close
        self._on_look = on_look
        self._control = _ControlView(control)
        self._watch = FleetWatch(time.time())
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, name="fleet-poller", daemon=True)
        self._broker_answers = True
        self._saved_at = 0.0

    def start(self) -> None:
        """Begin to look."""
        if self._file is not None:
            self._file.restore(self._watch, self._feed.history, time.time())
        self._feed.open()
        self._control.start()
        self._thread.start()

    def stop(self) -> None:
        """Stop looking, keep the history, and end every stream; waits two seconds at most."""
        self._stopped.set()
        self._control.stop()
        self._feed.close()
        if self._thread.ident is not None:
            self._thread.join(2.0)

    def look_again(self) -> None:
        """Look at the workers as soon as possible: somebody changed them."""
        self._control.wake()

    def _run(self) -> None:
        due = time.monotonic()
        while not self._stopped.is_set():
            begun = time.monotonic()
            try:
                look = self._look()
                self._feed.publish(look)
                self._on_look(look, time.monotonic() - begun)
                self._save(begun)
            except Exception:  # whatever it is, the page must not stand still for ever because of it
                log.exception("fleet_look_failed", tip="the next look is a second away")
            # Looks keep their rhythm; a late one is not made up for.
            due = max(due + INTERVAL_S, time.monotonic())
            self._stopped.wait(due - time.monotonic())
        if self._file is not None:
            self._file.save(self._watch, self._feed.history)
        with contextlib.suppress(Exception):
            self._close()

    def _look(self) -> FleetLook:
        reading: Reading | str
        try:
            reading = self._read()
        except MediaflowError as error:
            reading = str(error)
        self._tell(reading)
        declared = {name: spec.queue for name, spec in self._channels().items()}
        view = self._control.view()
        return self._watch.take(time.time(), reading, view, declared=declared, control_kind=self._control.kind)

    def _tell(self, reading: Reading | str) -> None:
        """Log once when the broker goes, and once when it is back."""
        answers = isinstance(reading, Reading)
        if answers != self._broker_answers:
            self._broker_answers = answers
            if isinstance(reading, str):
                log.warning("broker_lost", reason=reading, tip="the page says so; the next look is a second away")
            else:
                log.info("broker_back")

    def _save(self, now: float) -> None:
        if self._file is not None and now - self._saved_at >= SAVE_S:
            self._saved_at = now
            self._file.save(self._watch, self._feed.history)


class _ControlView:
    """The newest view of the workers, read on a thread of its own."""

    def __init__(self, control: FleetControl) -> None:
        self.kind = control.kind
        self._control = control
        self._interval_s = CONTROL_INTERVAL_S.get(self.kind, USUAL_CONTROL_INTERVAL_S)
        self._view: FleetView | str = "not asked yet"
        self._at = time.monotonic()
        self._wanted = threading.Event()
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, name="fleet-workers", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._stopped.set()
        self._wanted.set()

    def wake(self) -> None:
        self._wanted.set()

    def view(self) -> FleetView | str:
        """Give the view, or why there is none. One that has been asked for too long ago is no view any more."""
        if isinstance(self._view, FleetView) and time.monotonic() - self._at > STALE_VIEW_S:
            return f"no answer for {STALE_VIEW_S:g} s"
        return self._view

    def _run(self) -> None:
        while not self._stopped.is_set():
            self._wanted.clear()
            try:
                self._view = self._control.fleet()
            except ControlError as error:
                self._view = str(error)
            except Exception as error:
                self._view = f"{type(error).__name__}: {error}"
                log.exception("workers_unreadable")
            self._at = time.monotonic()
            self._wanted.wait(self._interval_s)
