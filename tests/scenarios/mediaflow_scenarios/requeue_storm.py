"""Scenario 5: a requeue storm: a message that fails is put back, and comes again, and is put back."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from local_fleet.ports import free_ports
from mediaflow_scenarios.beside import beside
from mediaflow_scenarios.patience import until
from mediaflow_scenarios.scrape import scrape
from mediaflow_scenarios.stage import Stage
from mq_common._returns import NACK_IS_FREE
from mq_common.events import MediaEvent
from mq_common.messages import event_message
from mq_common.topology import DEAD_LETTER_EXCHANGE, UNLIMITED_IS_MINUS_ONE, queue_arguments

#: The copy of media.subtitle that the wrong consumer gets.
CHANNEL, QUEUE, DEAD_LETTERS = "storm", "media.storm", "media.storm.dlq"

_LIMIT_S = 30.0

#: The thresholds of charts/mediaflow/rules/alerts.yaml: messages a second.
STORM_REDELIVERED, WITHOUT_WORK_REDELIVERED, FLAT = 5.0, 1.0, 0.1


@dataclass(frozen=True)
class _Counts:
    """What had happened at a moment, by the broker's and by the worker's own count."""

    at: float
    redelivered: float
    acked: float
    taken_again: float
    ended: float


def run(stage: Stage) -> None:
    """Let a wrong consumer loose on one message and count: redeliveries by the thousand, not one acknowledgement."""
    version = stage.fleet.queues.version()
    limit = stage.fleet.channels["subtitle"].delivery_limit
    name = f"RabbitMQ {version[0]}.{version[1]}"
    if version >= NACK_IS_FREE:
        stage.page.say(
            f"{name} does not count nack(requeue) against the delivery limit: the queue has its limit of {limit}."
        )
        _storm(stage, limit)
        return
    stage.page.say(
        f"{name} counts every return, nack(requeue) too: a limit of {limit} ends the storm after {limit + 1}"
    )
    stage.page.say("deliveries. (From 4.3 on it does not, and nothing ends it.)\n")
    _saved_by_the_limit(stage, limit)
    stage.page.say("\nThe same on a copy of the queue without a limit:\n")
    _storm(stage, None)


def _saved_by_the_limit(stage: Stage, limit: int) -> None:
    with _one_message(stage, limit), _wrong_consumer(stage) as address:
        letters = until(lambda: stage.fleet.queues.dead_letters(DEAD_LETTERS), _LIMIT_S, "the dead letter")
        deliveries = until(lambda: scrape(address).total("mediaflow_deliveries_total"), _LIMIT_S, "the worker's count")
    stage.page.table(("deliveries", "reason"), [(f"{deliveries:.0f}", letters[0].death[1])])
    stage.expect(
        deliveries == limit + 1 and letters[0].death == (QUEUE, "delivery_limit", 1),
        f"this broker's limit of {limit} ends it after {limit + 1} deliveries",
    )


def _storm(stage: Stage, limit: int | None) -> None:
    with _one_message(stage, limit):
        with _wrong_consumer(stage) as address:
            began = _counts(stage, address)
            time.sleep(stage.sizes.storm_s)
            until(lambda: _counts(stage, address).redelivered > began.redelivered, _LIMIT_S, "the broker's figures")
            ended = _counts(stage, address)
        there = until(lambda: stage.fleet.queues.ready(QUEUE), _LIMIT_S, "the message")
        dead = stage.fleet.queues.ready(DEAD_LETTERS)
    seconds = ended.at - began.at
    again, done = ended.taken_again - began.taken_again, ended.ended - began.ended
    redelivered, acked = ended.redelivered - began.redelivered, ended.acked - began.acked
    stage.page.table(
        (f"in {seconds:.0f} seconds", "total", "a second"),
        [
            ("redeliveries, by the broker", f"{redelivered:.0f}", f"{redelivered / seconds:.0f}"),
            ("acknowledgements, by the broker", f"{acked:.0f}", f"{acked / seconds:.0f}"),
            ("mediaflow_deliveries{redelivered}", f"{again:.0f}", f"{again / seconds:.0f}"),
            ("mediaflow_jobs{done|duplicate|rejected}", f"{done:.0f}", f"{done / seconds:.0f}"),
            ("messages in the queue", there, ""),
            ("messages in its dead-letter queue", dead, ""),
        ],
    )
    stage.expect(
        again / seconds > 10 * STORM_REDELIVERED, "the message comes again and again", f"{again / seconds:.0f}/s"
    )
    stage.expect((acked, done) == (0, 0), "and nothing is done")
    stage.expect((there, dead) == (1, 0), "the message is still in the queue, the dead-letter queue is empty")
    stage.expect(
        redelivered / seconds > STORM_REDELIVERED and acked / seconds < FLAT,
        "the condition of MediaflowRequeueStorm holds",
        f"{redelivered / seconds:.0f} redeliveries/s > {STORM_REDELIVERED:g}, {acked / seconds:g} acks/s < {FLAT}",
    )
    stage.expect(
        again / seconds > WITHOUT_WORK_REDELIVERED and done / seconds < FLAT,
        "and that of MediaflowRedeliveriesWithoutWork, from the worker's own metrics",
    )


@contextmanager
def _one_message(stage: Stage, limit: int | None) -> Iterator[None]:
    """Make the copy of media.subtitle with this delivery limit, and put one event into it; remove it afterwards."""
    queues = stage.fleet.queues
    with queues.channel() as channel:
        arguments = _arguments(stage, limit)
        dead: dict[str, Any] = {"x-queue-type": "quorum"}
        channel.queue_declare(DEAD_LETTERS, durable=True, arguments=dead)
        channel.queue_bind(DEAD_LETTERS, DEAD_LETTER_EXCHANGE, CHANNEL)
        channel.queue_declare(QUEUE, durable=True, arguments=arguments)
        channel.confirm_delivery()
        message = event_message(MediaEvent.create(asset_id="storm-demo", owner_id="u-1"))
        channel.basic_publish("", QUEUE, message.body, message.properties, mandatory=True)
    try:
        yield
    finally:
        queues.delete(QUEUE, DEAD_LETTERS)


def _arguments(stage: Stage, limit: int | None) -> dict[str, Any]:
    """Give media.subtitle's arguments for the copy. Unlimited is said in the broker's own way."""
    arguments = queue_arguments(stage.fleet.channels["subtitle"]) | {"x-dead-letter-routing-key": CHANNEL}
    if limit is None and stage.fleet.queues.version() < UNLIMITED_IS_MINUS_ONE:
        del arguments["x-delivery-limit"]
    else:
        arguments["x-delivery-limit"] = -1 if limit is None else limit
    return arguments


@contextmanager
def _wrong_consumer(stage: Stage) -> Iterator[str]:
    """Run the wrong consumer; gives the address of its metrics, once they are there."""
    port = free_ports(1)[0]
    program = "mediaflow_scenarios.programs.requeueing_worker"
    settings = {"MEDIAFLOW_HEALTH_PORT": str(port), "MEDIAFLOW_LOG_LEVEL": "warning"}
    with beside(stage.fleet, "requeueing-worker", program, CHANNEL, **settings):
        address = f"http://127.0.0.1:{port}"
        until(lambda: _is_there(address), _LIMIT_S, "the wrong consumer")
        yield address


def _is_there(address: str) -> bool:
    try:
        return scrape(address).total("mediaflow_deliveries_total") > 0
    except OSError:
        return False


def _counts(stage: Stage, address: str) -> _Counts:
    broker, worker = stage.fleet.queues.message_counts(QUEUE), scrape(address)
    ends = ("done", "duplicate", "rejected")
    return _Counts(
        at=time.monotonic(),
        redelivered=broker.get("redeliver", 0),
        acked=broker.get("ack", 0),
        taken_again=worker.total("mediaflow_deliveries_total", channel=CHANNEL, redelivered="true"),
        ended=sum(worker.total("mediaflow_jobs_total", channel=CHANNEL, outcome=each) for each in ends),
    )
