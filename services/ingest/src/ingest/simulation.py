"""Assets without a file: one in JSON, or a burst of them. They exist only as load."""

import threading
import time
from collections import Counter
from concurrent.futures import Future
from datetime import UTC, datetime

import structlog

from ingest.acceptance import Registered, register
from ingest.bodies import RequestBody
from ingest.bursts import Burst, burst_key
from ingest.fields import checked
from ingest.models import BurstReport, BurstRequest, SimulatedUpload
from ingest.problems import REFUSED_BY_BROKER, SIMULATION_OFF, UNCONFIRMED, UNROUTABLE, Kind, Problem
from ingest.runtime import Runtime
from ingest.strict_json import MAX_JSON_BYTES, parse_object
from mq_common.events import MediaEvent, new_event_id
from mq_common.publisher import Outcome, event_message

log = structlog.get_logger()


def require_simulation(runtime: Runtime) -> None:
    """Raise Problem 403 unless simulated assets are allowed."""
    if not runtime.settings.allow_simulated:
        raise Problem(
            SIMULATION_OFF,
            "Assets without a file exist only as load. Start ingest with MEDIAFLOW_INGEST_ALLOW_SIMULATED=true to "
            "allow them, or upload a file: curl -F file=@holiday.mp4",
        )


def take_json(runtime: Runtime, body: RequestBody, key: str | None) -> Registered:
    """Take one simulated asset."""
    require_simulation(runtime)
    return take_simulated(runtime, body.read_all(MAX_JSON_BYTES), key)


def take_simulated(runtime: Runtime, text: bytes, key: str | None = None) -> Registered:
    """Take one simulated asset, described in JSON."""
    wanted = checked(SimulatedUpload, parse_object(text))
    runtime.door.admit(key)
    event = MediaEvent(
        event_id=new_event_id(),
        asset_id=wanted.asset_id,
        owner_id=wanted.owner_id,
        duration_sec=wanted.duration_sec,
        uploaded_at=datetime.now(UTC),
    )
    return register(runtime, event, key=key)


def run_burst(runtime: Runtime, body: RequestBody, traceparent: str) -> BurstReport:
    """Publish a burst, pipelined. Raises Problem 503 with the counts unless every event was confirmed."""
    require_simulation(runtime)
    wanted = checked(BurstRequest, parse_object(body.read_all(MAX_JSON_BYTES)))
    burst = Burst.create(wanted.owner_id, wanted.count)
    with runtime.door.admit_burst(burst.count):
        runtime.store.put_json(burst_key(burst.burst_id), burst.to_json())
        runtime.index.note_entry(burst.to_json(), at_once=True)
        report = _publish(runtime, burst, traceparent)
    log.info("burst_published", count=burst.count, **report.model_dump(by_alias=False))
    if report.confirmed < burst.count:
        kind, reason = _why_not_all(report)
        raise Problem(
            kind,
            f"{report.confirmed} of {burst.count} events are confirmed. {reason} Sent again, it is another burst.",
            report.model_dump(by_alias=True),
        )
    return report


def _why_not_all(report: BurstReport) -> tuple[Kind, str]:
    if report.nacked:
        return REFUSED_BY_BROKER, "A channel's queue refused the others (is it full?); other queues may have kept them."
    if report.unroutable:
        return UNROUTABLE, "The broker has no queue for the others: start a channel worker, which declares its queue."
    return UNCONFIRMED, "The broker did not answer for the others in time; it may still have taken them. Is it up?"


def _publish(runtime: Runtime, burst: Burst, traceparent: str) -> BurstReport:
    started = time.perf_counter()
    tally = _Tally()
    accepted = 0
    for number in range(1, burst.count + 1):
        # Each submit may wait for the broker; a burst must not do so a hundred thousand times over.
        if tally.counts[Outcome.UNKNOWN] and not runtime.publisher.ready:
            break
        runtime.publisher.submit(event_message(burst.event(number), traceparent)).add_done_callback(tally.add)
        accepted += 1
    tally.wait_for(accepted, runtime.settings.publish_limit_s)
    counts = tally.counts
    return BurstReport(
        burst_id=burst.burst_id,
        accepted=accepted,
        confirmed=counts[Outcome.CONFIRMED],
        unroutable=counts[Outcome.UNROUTABLE],
        nacked=counts[Outcome.NACKED],
        unknown=accepted - counts[Outcome.CONFIRMED] - counts[Outcome.UNROUTABLE] - counts[Outcome.NACKED],
        seconds=round(time.perf_counter() - started, 3),
    )


class _Tally:
    """Counts outcomes as they come, from whichever thread; keeps no future, so memory stays flat."""

    def __init__(self) -> None:
        self.counts: Counter[Outcome] = Counter()
        self._changed = threading.Condition()

    def add(self, future: "Future[Outcome]") -> None:
        with self._changed:
            self.counts[future.result()] += 1
            self._changed.notify()

    def wait_for(self, total: int, limit_s: float) -> None:
        with self._changed:
            self._changed.wait_for(lambda: self.counts.total() >= total, limit_s)
