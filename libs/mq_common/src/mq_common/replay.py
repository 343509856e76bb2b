"""Replay: dead letters go back to their one queue, confirmed, and only then leave the dead-letter queue."""

import time
from collections.abc import Callable
from contextlib import suppress
from uuid import uuid4

import structlog
from pika.adapters.blocking_connection import BlockingConnection
from pika.exceptions import AMQPError

from mq_common._replay_flow import WINDOW, ReplayFlow
from mq_common.channels import ChannelSpec
from mq_common.connection import address, connect, reason_of
from mq_common.dead_letter_records import Records
from mq_common.dead_letter_walk import DeadLetterWalk
from mq_common.errors import BrokerUnreachable
from mq_common.publisher import ConfirmingPublisher
from mq_common.replay_rules import ReplayPlan
from mq_common.replay_tally import Tally
from mq_common.settings import BrokerSettings

log = structlog.get_logger()

#: Seconds that messages are held at most before they go back and the walk begins anew: brokers take back what nobody
#: acknowledges for 30 minutes.
_HOLD_LIMIT_S = 600.0
#: Seconds between two looks for confirms while there is nothing else to do.
_POLL_S = 0.005


class Replay:
    """One run over one channel's dead-letter queue, bounded by its depth at the start.

    A message is published to ``media.<channel>`` through the default exchange, mandatory and confirmed; then its copy
    in the dead-letter queue is acknowledged. Killed in between, it leaves a duplicate and loses nothing.
    """

    def __init__(
        self,
        settings: BrokerSettings,
        spec: ChannelSpec,
        plan: ReplayPlan,
        *,
        records: Records | None = None,
        on_progress: Callable[[Tally], None] = lambda tally: None,
    ) -> None:
        self._settings, self._spec, self._plan, self._records = settings, spec, plan, records
        self._on_progress = on_progress
        self._stop_requested = False
        self._run = uuid4().hex[:12]
        self.tally = Tally()

    def stop(self) -> None:
        """Ask the run to finish what is on its way and end. Only sets a flag: it is called from signal handlers."""
        self._stop_requested = True

    def run(self, *, wait_s: float = float("inf")) -> Tally:
        """Replay, after waiting at most ``wait_s`` seconds for another walk through the same queue.

        Raises BrokerUnreachable (also when the connection is lost meanwhile; ``tally`` says how far it came) and
        ``dead_letter_walk.Busy``.
        """
        name = f"mediaflow replayer {self._spec.name}"
        connection = connect(self._settings, name, stop=self._stopping)
        publisher = ConfirmingPublisher(self._settings, name=f"{name} publisher", window=WINDOW)
        try:
            self._await(publisher)
            while self._walk_through(connection, publisher, wait_s):
                pass
        except (AMQPError, OSError) as error:
            raise BrokerUnreachable(
                f"the connection to the broker at {address(self._settings)} was lost: {reason_of(error)}; "
                "nothing is lost, what was confirmed but not acknowledged yet is there twice"
            ) from error
        finally:
            publisher.close()
            with suppress(AMQPError, OSError):
                connection.close()
        return self.tally

    def _walk_through(self, connection: BlockingConnection, publisher: ConfirmingPublisher, wait_s: float) -> bool:
        """Go through the queue once; True when messages were held too long and the rest is still to be looked at."""
        tally = self.tally
        walk = DeadLetterWalk(connection, self._spec)
        depth = walk.begin(wait_s=wait_s, stop=self._stopping)
        if tally.rounds:  # what stayed comes again, and what died meanwhile is none of ours
            walk.depth = min(depth, tally.depth - tally.moved)
        tally.begin_round(walk.depth)
        flow = ReplayFlow(walk, publisher, self._spec.queue, self._plan, tally, run=self._run, records=self._records)
        until = time.monotonic() + _HOLD_LIMIT_S

        def goes_on() -> bool:
            return not self._stop_requested and tally.trouble is None and time.monotonic() < until

        try:
            while goes_on() and ((not walk.at_end and not flow.is_limit_reached) or flow.has_unsent):
                self._turn(walk, flow)
            unfinished = (not walk.at_end and not flow.is_limit_reached) or flow.has_unsent
            flow.finish()
            self._on_progress(tally)
        finally:
            flow.close()
            walk.end()
        return unfinished and not self._stop_requested and tally.trouble is None

    def _await(self, publisher: ConfirmingPublisher) -> None:
        """Wait until the publisher is connected: what it is given before that could time out."""
        publisher.start()
        deadline = time.monotonic() + self._settings.connect_timeout_s
        while not publisher.ready and not self._stop_requested and time.monotonic() < deadline:
            time.sleep(_POLL_S)

    def _turn(self, walk: DeadLetterWalk, flow: ReplayFlow) -> None:
        moving = flow.advance()
        if flow.has_room:
            flow.accept(walk.turn(0 if moving else _POLL_S))
        elif not moving:
            time.sleep(_POLL_S)
        self._on_progress(self.tally)

    def _stopping(self) -> bool:
        return self._stop_requested
