"""A thread that reads the queues' depths: now and then by itself, sooner when somebody has a reason to know."""

import contextlib
import threading
from collections.abc import Callable, Mapping

import structlog

from ingest import metrics
from mq_common.errors import MediaflowError

log = structlog.get_logger()

#: Seconds between two looks at least, whatever the load: this bounds what looking costs.
SHORTEST_GAP_S = 0.05


class DepthPoll:
    """Calls ``read`` every ``interval_s`` seconds or when woken, and hands what it gave to ``take``.

    ``arrived`` is asked before each look and handed on, so that no arrival is missed. What ``read`` raises is counted,
    and logged once until it works again. ``tick`` is called after each look, whether it worked or not.
    """

    def __init__(
        self,
        read: Callable[[], Mapping[str, int]],
        *,
        interval_s: float,
        arrived: Callable[[], int],
        take: Callable[[Mapping[str, int], int], None],
        tick: Callable[[], None] = lambda: None,
        close: Callable[[], None] = lambda: None,
    ) -> None:
        self._read = read
        self._interval_s = interval_s
        self._arrived = arrived
        self._take = take
        self._tick = tick
        self._close = close
        self._wanted = threading.Event()
        self._stopped = threading.Event()
        self._looked = threading.Condition()
        self._begun = self._ended = 0
        self._failing = False
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Begin to look. Call it after the fork."""
        self._thread = threading.Thread(target=self._run, name="depth-poll", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Stop looking; a look that is under way is waited for, for a second."""
        self._stopped.set()
        self._wanted.set()
        if self._thread is not None:
            self._thread.join(1.0)

    def wake(self) -> None:
        """Have a look as soon as the shortest gap allows."""
        if not self._wanted.is_set():
            self._wanted.set()

    def refresh(self, limit_s: float) -> None:
        """Return once a look that began after this call has ended, or after ``limit_s`` seconds."""
        with self._looked:
            number = self._begun + 1
            self._wanted.set()
            self._looked.wait_for(lambda: self._ended >= number, limit_s)

    def _run(self) -> None:
        while not self._stopped.is_set():
            with self._looked:
                self._begun += 1
            self._look()
            self._tick()
            with self._looked:
                self._ended = self._begun
                self._looked.notify_all()
            self._stopped.wait(SHORTEST_GAP_S)
            self._wanted.wait(self._interval_s - SHORTEST_GAP_S)
            self._wanted.clear()
        with contextlib.suppress(Exception):
            self._close()

    def _look(self) -> None:
        arrived = self._arrived()
        try:
            self._take(self._read(), arrived)
        except Exception as error:
            metrics.DEPTH_POLL_FAILURES.inc()
            self._fail(error)
        else:
            if self._failing:
                self._failing = False
                log.info("depth_poll_recovered")

    def _fail(self, error: Exception) -> None:
        if self._failing:
            return
        self._failing = True
        log.warning(
            "depth_poll_failed",
            error=str(error) if isinstance(error, MediaflowError) else repr(error),
            exc_info=None if isinstance(error, MediaflowError) else error,
            tip="the last reading counts for a while; then as much is let in as went through before",
        )
