"""The way of dead letters through a replay: looked at, published, confirmed, marked, taken. One thread drives it."""

import time
from collections import deque
from collections.abc import Iterable
from datetime import UTC, datetime

import structlog

from mq_common.dead_letter_records import Records, RecordsUnavailable, Stage
from mq_common.dead_letter_walk import DeadLetterWalk, Found
from mq_common.dead_letters import DeadLetter
from mq_common.messages import Outcome
from mq_common.publisher import ConfirmingPublisher
from mq_common.replay_rules import ReplayPlan, Verdict
from mq_common.replay_tally import Tally

log = structlog.get_logger()

#: Bodies in memory at most, in bytes; a single larger one is taken alone.
_MOST_BYTES = 64 * 1024 * 1024
#: So many messages in a row without an answer from the broker, and the run ends.
_MOST_UNSURE = 20
#: Seconds within which the last marks have to be written; the messages leave the dead-letter queue in any case.
_MARK_LIMIT_S = 10.0
#: Seconds between two looks for confirms at the end.
_POLL_S = 0.005
#: Seconds by which a slow moment may be caught up with under a rate.
_CATCH_UP_S = 0.1
#: Replays on their way to the broker at most.
WINDOW = 1000


class ReplayFlow:
    """Takes what a walk finds and gets each message either back into its queue or held where it is."""

    def __init__(
        self,
        walk: DeadLetterWalk,
        publisher: ConfirmingPublisher,
        queue: str,
        plan: ReplayPlan,
        tally: Tally,
        *,
        run: str,
        records: Records | None,
    ) -> None:
        self._walk, self._publisher, self._queue, self._plan, self._tally = walk, publisher, queue, plan, tally
        self._run, self._records = run, records
        self._looked_up, self._marked = Stage(records), Stage(records)
        self._ready: deque[DeadLetter] = deque()
        self._sent: deque[DeadLetter] = deque()
        self._bytes = 0
        self._next_send = 0.0
        self._unsure_in_a_row = 0
        self._warned = False

    @property
    def is_limit_reached(self) -> bool:
        """True when as many messages are chosen as the plan allows."""
        return self._plan.limit is not None and self._tally.selected >= self._plan.limit

    @property
    def has_unsent(self) -> bool:
        """True while something is looked up or waits to be sent."""
        return bool(self._ready) or len(self._looked_up) > 0

    @property
    def has_room(self) -> bool:
        """True while more bodies may be held in memory."""
        return self._bytes < _MOST_BYTES

    def accept(self, found: Iterable[Found]) -> None:
        """Decide on what the walk found, or have it looked up first."""
        asked: list[DeadLetter] = []
        now = datetime.now(UTC)
        for each in found:
            letter = DeadLetter.read(each.tag, each.header, each.body)
            verdict = self._verdict(letter, now)
            if letter.properties is None:  # it can't be published again
                verdict = Verdict.NOT_SELECTED
            needs_record = self._plan.selection.error is not None or verdict is Verdict.REPLAY
            self._bytes += len(letter.body)
            if verdict is not Verdict.NOT_SELECTED and self._records is not None and needs_record:
                asked.append(letter)
            else:
                self._decide(letter, verdict)
        if asked:
            self._looked_up.put(asked, self._look_up)

    def advance(self) -> bool:
        """Do what can be done now; False when all of it waits for somebody."""
        moving = False
        for letters, future in self._looked_up.done():
            moving = True
            self._check_records(future.exception(), decisive=self._plan.selection.error is not None)
            now = datetime.now(UTC)
            for letter in letters:
                self._decide(letter, self._verdict(letter, now))
        moving |= self._send()
        moving |= self._confirm()
        for letters, future in self._marked.done():
            moving = True
            if self._check_records(future.exception(), decisive=False):
                self._tally.unmarked += len(letters)
            for letter in letters:
                self._take(letter)
        return moving

    def finish(self) -> None:
        """Send nothing more, wait for what is on its way, and hold the rest."""
        for letter in (*self._looked_up.take_out(), *self._ready):
            self._walk.hold(letter.tag)
        self._ready.clear()
        marks_until = time.monotonic() + _MARK_LIMIT_S
        while self._sent or (len(self._marked) and time.monotonic() < marks_until):
            self.advance()
            for found in self._walk.turn(_POLL_S):
                self._walk.hold(found.tag)
        for letter in self._marked.take_out():
            self._tally.unmarked += 1
            self._take(letter)

    def close(self) -> None:
        """End the threads."""
        self._looked_up.close()
        self._marked.close()

    # -- steps --------------------------------------------------------------------------------------------------

    def _verdict(self, letter: DeadLetter, now: datetime) -> Verdict:
        return self._plan.selection.verdict(
            letter.history, event_id=letter.event_id, asset_id=letter.asset_id, now=now, run=self._run
        )

    def _look_up(self, letters: list[DeadLetter]) -> None:
        """Find out why workers gave up; runs on a pool thread."""
        if self._records is not None:
            for letter, gave_up in zip(letters, self._records.find(letters), strict=True):
                letter.gave_up = gave_up or letter.gave_up

    def _decide(self, letter: DeadLetter, verdict: Verdict) -> None:
        if self._tally.trouble is not None or self.is_limit_reached:
            self._stay(letter)
            return
        if verdict is not Verdict.NOT_SELECTED and not self._plan.selection.wants_error(letter.error_class):
            verdict = Verdict.NOT_SELECTED
        self._tally.decided(verdict)
        if verdict is Verdict.REPLAY and not self._plan.dry_run:
            self._ready.append(letter)
        else:
            self._stay(letter)

    def _send(self) -> bool:
        messages = []
        while self._ready and len(self._sent) < WINDOW and self._is_due():
            letter = self._ready.popleft()
            self._sent.append(letter)
            messages.append((letter.again(self._queue, self._run), letter.answered))
        if messages:
            self._publisher.submit_all(messages)
        return bool(messages)

    def _is_due(self) -> bool:
        if self._plan.rate is None:
            return True
        now = time.monotonic()
        if now < self._next_send:
            return False
        self._next_send = max(self._next_send, now - _CATCH_UP_S) + 1 / self._plan.rate
        return True

    def _confirm(self) -> bool:
        moved = False
        to_mark: list[DeadLetter] = []
        while self._sent and (outcome := self._sent[0].outcome) is not None:
            letter = self._sent.popleft()
            moved = True
            if outcome is not Outcome.CONFIRMED:
                self._refused(letter, outcome)
                continue
            self._unsure_in_a_row = 0
            if self._records is not None and letter.gave_up is not None and letter.event is not None:
                self._forget_body(letter)
                to_mark.append(letter)
            else:
                self._take(letter)
        if to_mark and self._records is not None:
            self._marked.put(to_mark, self._records.replayed)
        return moved

    def _refused(self, letter: DeadLetter, outcome: Outcome) -> None:
        self._stay(letter)
        self._tally.left(outcome)
        self._unsure_in_a_row = self._unsure_in_a_row + 1 if outcome is Outcome.UNKNOWN else 0
        if outcome is Outcome.UNROUTABLE:
            self._trouble(f"there is no queue {self._queue}; its channel's worker declares it")
        elif outcome is Outcome.NACKED:
            self._trouble(f"{self._queue} takes no more (full, or without a leader); try again when it has drained")
        elif self._unsure_in_a_row >= _MOST_UNSURE:
            self._trouble("the broker does not answer; has it raised a memory or disk alarm?")

    def _check_records(self, error: BaseException | None, *, decisive: bool) -> bool:
        """Say once that the records are not there; end the run when its choice depends on them. True on an error."""
        if error is None:
            return False
        if not isinstance(error, RecordsUnavailable):
            raise error
        if decisive:
            self._trouble(f"why messages died can't be read: {error}")
        elif not self._warned:
            self._warned = True
            log.warning("records_unavailable", error=str(error), tip="the replay goes on without them")
        return True

    def _trouble(self, reason: str) -> None:
        self._tally.trouble = self._tally.trouble or reason

    def _stay(self, letter: DeadLetter) -> None:
        self._forget_body(letter)
        self._walk.hold(letter.tag)

    def _take(self, letter: DeadLetter) -> None:
        self._forget_body(letter)
        self._walk.take(letter.tag)
        self._tally.moved += 1

    def _forget_body(self, letter: DeadLetter) -> None:
        self._bytes -= len(letter.body)
        letter.body = b""
