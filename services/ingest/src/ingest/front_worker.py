"""gunicorn's threaded worker, with a lane beside its threads.

Requests that the lane knows are read, taken and answered in the worker's main loop, many in one turn of it; all
others, and the first one of every connection, go to a thread as they always do. A connection whose request is in the
lane stays with the poller.
"""

import gc
from collections import deque
from functools import partial
from selectors import EVENT_READ
from typing import Any

from gunicorn.workers.gthread import TConn, ThreadWorker

from ingest.answers import Answer
from ingest.repeated_heads import MOST_BODY_BYTES, MOST_HEAD_BYTES, START, RepeatedHeads
from ingest.upload_lane import Begun, UploadLane
from mq_common.publisher import Outcome

_MOST_BYTES = MOST_HEAD_BYTES + MOST_BODY_BYTES


class FrontWorker(ThreadWorker):
    """Runs an application that may have a ``lane``; without one it is gunicorn's gthread worker."""

    poller: Any
    tpool: Any
    _lane: UploadLane | None = None

    def run(self) -> None:
        """Serve until stopped."""
        self._lane = getattr(self.wsgi, "lane", None)
        self._heads = RepeatedHeads(self.cfg)
        self._begun: list[tuple[Begun, Any]] = []
        self._ended: deque[tuple[TConn, Begun, Outcome]] = deque()
        self._told = False
        #: Connections with a request in the lane; True for those whose next bytes have come already.
        self._in_lane: dict[TConn, bool] = {}
        gc.freeze()  # what is loaded now stays; the collector need not look at it again and again
        super().run()  # type: ignore[no-untyped-call]

    def wait_for_and_dispatch_events(self, timeout: float) -> None:
        """Do one turn of the loop; what it began is published together."""
        super().wait_for_and_dispatch_events(timeout)  # type: ignore[no-untyped-call]
        if self._begun and self._lane is not None:
            begun, self._begun = self._begun, []
            self._lane.publish(begun)

    def on_client_socket_readable(self, conn: TConn, client: Any) -> None:
        """Take the request into the lane, or leave it to a thread."""
        if conn in self._in_lane:  # not before its answer: let the kernel keep it
            self._in_lane[conn] = True
            self.poller.unregister(client)
            return
        lane = self._lane
        if lane is None or not self.alive or not lane.is_open or not self._enter(lane, conn, client):
            super().on_client_socket_readable(conn, client)  # type: ignore[no-untyped-call]

    def _enter(self, lane: UploadLane, conn: TConn, client: Any) -> bool:
        """Read the request; False when it is not for the lane, with its bytes given to gunicorn's parser."""
        try:
            data = client.recv(_MOST_BYTES)
        except OSError:
            return False  # the thread meets it again and knows what to do
        upload = self._heads.read(data) if data.startswith(START) else None
        if upload is None:
            conn.parser.unreader.unread(data)  # type: ignore[union-attr] # a kept connection has one
            return False
        self.nr += 1
        self.keepalived_conns.remove(conn)
        self._in_lane[conn] = False
        begun = lane.begin(upload)
        if isinstance(begun, Answer):
            self._send(conn, begun)
        else:
            self._begun.append((begun, partial(self._tell, conn, begun)))
        return True

    def _tell(self, conn: TConn, begun: Begun, outcome: Outcome) -> None:
        """Note how a publish ended. Called by the publisher's thread; one wake-up serves many."""
        self._ended.append((conn, begun, outcome))
        if not self._told:
            self._told = True
            self.method_queue.defer(self._answer_ended)  # type: ignore[no-untyped-call]

    def _answer_ended(self) -> None:
        self._told = False  # before looking: what is appended later is seen now or wakes us again
        lane, ended = self._lane, self._ended
        while ended and lane is not None:
            conn, begun, outcome = ended.popleft()
            if outcome is Outcome.CONFIRMED:
                self._send(conn, lane.answer(begun, outcome))
            else:
                self.tpool.submit(self._answer_in_thread, lane, conn, begun, outcome)

    def _answer_in_thread(self, lane: UploadLane, conn: TConn, begun: Begun, outcome: Outcome) -> None:
        answer = lane.answer(begun, outcome)
        self.method_queue.defer(self._send, conn, answer)  # type: ignore[no-untyped-call]

    def _send(self, conn: TConn, answer: Answer) -> None:
        """Answer, and have the connection wait for its next request."""
        more_has_come = self._in_lane.pop(conn)
        data = answer.to_bytes(keep_alive=self.alive)
        try:
            sent = conn.sock.send(data)
        except OSError:
            sent = 0
        if sent < len(data) or not self.alive:  # gone, stopping, or somebody who takes no answers
            if not more_has_come:
                self.poller.unregister(conn.sock)
            self.nr_conns -= 1
            conn.close(graceful=sent == len(data))  # type: ignore[no-untyped-call]
            return
        conn.set_timeout()  # type: ignore[no-untyped-call]
        self.keepalived_conns.append(conn)
        if more_has_come:
            self.poller.register(conn.sock, EVENT_READ, partial(self.on_client_socket_readable, conn))
