"""Has questions answered by child processes: few at once, the newest of each page."""

import subprocess
import sys
import threading
from contextlib import suppress

import structlog

from console.planner.child import ORDER, Order
from console.planner.measured import Measured
from console.planner.question import Question

log = structlog.get_logger()

#: Questions answered at the same time; further ones wait.
AT_ONCE = 2
#: Seconds a question waits for its turn, and seconds an answer may take.
_TURN_S, _ANSWER_S = 10.0, 60.0


class Superseded(Exception):
    """The same page has asked something else since."""


class TooBusy(Exception):
    """Too many questions are being answered already."""


class NoAnswer(Exception):
    """The child ended without an answer; the message is its last line."""


class Asker:
    """Starts a child for each question, and ends it when its page asks the next one."""

    def __init__(self) -> None:
        self._turns = threading.Semaphore(AT_ONCE)
        self._lock = threading.Lock()
        self._asking: dict[str, subprocess.Popen[bytes]] = {}
        self._closed = False

    def ask(self, measured: Measured, question: Question, asked_by: str) -> bytes:
        """Give the plan as JSON. ``asked_by``: whoever asks anew with the same name gives up what he asked before.

        Raises Superseded, TooBusy, NoAnswer.
        """
        self.give_up(asked_by)
        if not self._turns.acquire(timeout=_TURN_S):
            raise TooBusy
        try:
            return self._answer(ORDER.dump_json(Order(measured, question)), asked_by)
        finally:
            self._turns.release()

    def give_up(self, asked_by: str) -> None:
        """End the child that answers this page's question, if there is one."""
        with self._lock:
            process = self._asking.pop(asked_by, None)
        if process is not None:
            process.kill()

    def close(self) -> None:
        """End all children."""
        self._closed = True
        for asked_by in tuple(self._asking):
            self.give_up(asked_by)

    def _answer(self, order: bytes, asked_by: str) -> bytes:
        process = subprocess.Popen(
            [sys.executable, "-m", "console.planner.child"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        with self._lock:
            self._asking[asked_by] = process
        try:
            said, complaint = process.communicate(order, timeout=_ANSWER_S)
        except subprocess.TimeoutExpired:
            raise NoAnswer(f"it took longer than {_ANSWER_S:.0f} s") from None
        finally:
            process.kill()
            with suppress(subprocess.TimeoutExpired):
                process.wait(1.0)
            with self._lock:
                is_mine = self._asking.get(asked_by) is process
                if is_mine:
                    del self._asking[asked_by]
        if process.returncode == 0:
            return said
        if not is_mine or self._closed:
            raise Superseded
        lines = complaint.decode(errors="replace").strip().splitlines() or [f"exit code {process.returncode}"]
        log.error("plan_failed", reason=lines[-1])
        raise NoAnswer(lines[-1])
