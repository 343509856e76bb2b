"""The faults, each as one function on the world. They hurt real processes, real connections and a real broker."""

import signal
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TypeVar

import pika

from local_fleet.identity import ProcessIdentity
from mediaflow_chaos.evidence import outbox_in
from mediaflow_chaos.fleet import CHANNELS
from mediaflow_chaos.member import Member, wait_until
from mediaflow_chaos.queues import connected, take_all
from mediaflow_chaos.strikes import FaultKind, Strike
from mediaflow_chaos.world import Deletion, World, now

T = TypeVar("T")
Hit = Callable[[World, Strike], None]

#: A worker that is asked to stop finishes its jobs, and the next one has to start on a busy machine.
_RESTART_LIMIT_S = 40.0
#: How much longer an access to the media store takes, in seconds; an upload and a job make several.
_SLOW_ACCESSES_S = (0.02, 0.1, 0.5)
#: After which a queue that has consumers has its dead-lettering ready too.
_SETTLED_S = 1.0
#: After which a queue outlives its node's death, also on a busy machine.
_GROWN_UP_S = 6.0


@dataclass(frozen=True, slots=True)
class Fault:
    """What it is, and what it does."""

    kind: FaultKind
    hit: Hit


def _one_of(choices: Sequence[T], strike: Strike) -> T:
    return choices[strike.target % len(choices)]


def _pause(world: World, pid: int | None, seconds: float) -> None:
    process = ProcessIdentity.of(pid) if pid else None
    if process is None:
        return
    process.send(signal.SIGSTOP)
    try:
        world.last(seconds)
    finally:
        process.send(signal.SIGCONT)


def kill_worker(world: World, strike: Strike) -> None:
    """SIGKILL a channel's worker."""
    _one_of(world.fleet.workers, strike).signal(signal.SIGKILL)


def pause_worker(world: World, strike: Strike) -> None:
    """SIGSTOP a channel's worker; the broker may give its messages to another one before it goes on."""
    _pause(world, _one_of(world.fleet.workers, strike).pid, strike.for_s)


def kill_ingest(world: World, strike: Strike) -> None:
    """SIGKILL gunicorn's master; its workers have to notice."""
    world.fleet.ingest.signal(signal.SIGKILL)


def kill_ingest_worker(world: World, strike: Strike) -> None:
    """SIGKILL one of gunicorn's workers."""
    children = world.fleet.ingest.children()
    if children and (process := ProcessIdentity.of(_one_of(children, strike))):
        process.send(signal.SIGKILL)


def pause_ingest_worker(world: World, strike: Strike) -> None:
    """SIGSTOP one of gunicorn's workers."""
    children = world.fleet.ingest.children()
    if children:
        _pause(world, _one_of(children, strike), strike.for_s)


def pause_ingest(world: World, strike: Strike) -> None:
    """SIGSTOP gunicorn's master."""
    _pause(world, world.fleet.ingest.pid, strike.for_s)


def restart_ingest(world: World, strike: Strike) -> None:
    """SIGTERM ingest, as a roll-out does."""
    world.fleet.ingest.restart(_RESTART_LIMIT_S)


def rolling_restart(world: World, strike: Strike) -> None:
    """SIGTERM every worker: in each channel one after the other, the channels beside each other."""
    with ThreadPoolExecutor(len(CHANNELS)) as roll_outs:
        for done in [roll_outs.submit(_roll_out, world.fleet.workers_of(channel)) for channel in CHANNELS]:
            done.result()


def _roll_out(workers: list[Member]) -> None:
    for worker in workers:
        worker.restart(_RESTART_LIMIT_S)


def break_ingest_connections(world: World, strike: Strike) -> None:
    """Break every connection between ingest and the broker."""
    world.ingest_wire.break_all()


def break_worker_connections(world: World, strike: Strike) -> None:
    """Break every connection between workers and the broker."""
    world.worker_wire.break_all()


def lose_confirms(world: World, strike: Strike) -> None:
    """Let publishes reach the broker and hold back its confirms, then break the connection."""
    world.ingest_wire.hold_answers()
    world.last(strike.for_s)
    world.ingest_wire.break_all()
    world.ingest_wire.mend()


def freeze_ingest_wire(world: World, strike: Strike) -> None:
    """Let nothing through between ingest and the broker; nothing breaks."""
    world.ingest_wire.freeze()
    world.last(strike.for_s)
    world.ingest_wire.mend()


def freeze_worker_wire(world: World, strike: Strike) -> None:
    """Let nothing through between workers and the broker; nothing breaks."""
    world.worker_wire.freeze()
    world.last(strike.for_s)
    world.worker_wire.mend()


def cut_all_wires(world: World, strike: Strike) -> None:
    """Break every connection and refuse new ones."""
    for wire in (world.ingest_wire, world.worker_wire):
        wire.cut()
    world.last(strike.for_s)
    world.heal()


def kill_broker(world: World, strike: Strike) -> None:
    """SIGKILL the broker, and start it again on the same data."""
    world.node.kill()
    world.last(strike.for_s)
    world.node.start()


def restart_broker(world: World, strike: Strike) -> None:
    """Stop the broker in order, and start it again."""
    world.node.stop()
    world.node.start()


def pause_broker(world: World, strike: Strike) -> None:
    """SIGSTOP the broker."""
    process = world.node.pause()
    try:
        world.last(strike.for_s)
    finally:
        if process is not None:
            process.send(signal.SIGCONT)


def memory_alarm(world: World, strike: Strike) -> None:
    """Raise the broker's memory alarm: it stops to read from publishers."""
    world.node.raise_memory_alarm()
    try:
        world.last(strike.for_s)
    finally:
        world.node.lift_memory_alarm()


def slow_disk(world: World, strike: Strike) -> None:
    """Let every write to the quorum queues' log take long."""
    stall_ms, breath_ms = 400, 100
    world.node.slow_disk(stall_ms, breath_ms, int(strike.for_s * 1000 / (stall_ms + breath_ms)))
    world.last(strike.for_s)


def slow_store(world: World, strike: Strike) -> None:
    """Let every access to the media store take long, of ingest as of all workers."""
    world.fleet.slow_store.write_text(str(_SLOW_ACCESSES_S[strike.target % len(_SLOW_ACCESSES_S)]))
    try:
        world.last(strike.for_s)
    finally:
        world.fleet.slow_store.unlink()


def delete_queue(world: World, strike: Strike) -> None:
    """Delete a work queue under its consumers. What is in it is lost by the operator's own act; work has to go on.

    Not while the node recovers: RabbitMQ 3.10 then loses its dead-lettering supervisor (a worker of it is started for
    a queue that is gone), and every queue with at-least-once dead-lettering stays down until the node is restarted.
    Nor may the node go down right afterwards: on 3.10 a quorum queue that is a few seconds old then comes back without
    a leader, for ever.
    """
    channel = _one_of(CHANNELS, strike)
    queue = f"media.{channel}"
    with connected(world.broker.amqp_url) as connection:
        wait_until(lambda: _has_consumers(connection, queue), f"consumers on {queue} before its deletion", 30.0)
        # What waits in the store is published some time later, and nobody could tell whether the queue was away then.
        wait_until(lambda: not outbox_in(world.fleet.store), "an empty outbox before a deletion", 30.0)
        connection.sleep(_SETTLED_S)
        taken = take_all(connection, queue)
        since = now()
        left = connection.channel().queue_delete(queue).method.message_count
        try:
            wait_until(lambda: _has_consumers(connection, queue), f"consumers on {queue} after its deletion", 40.0)
        finally:
            world.deletions.append(Deletion(channel, since, now(), frozenset(taken), left))
        connection.sleep(_GROWN_UP_S)


def _has_consumers(connection: pika.BlockingConnection, queue: str) -> bool:
    try:
        channel = connection.channel()
        return bool(channel.queue_declare(queue, passive=True).method.consumer_count)
    except pika.exceptions.ChannelClosedByBroker:
        return False


def _fault(hit: Hit, subject: str, shortest_s: float = 0.0, longest_s: float = 0.0, rest_s: float = 3.0) -> Fault:
    return Fault(FaultKind(hit.__name__.replace("_", "-"), subject, shortest_s, longest_s, rest_s), hit)


#: Against any broker.
CLIENT_FAULTS = (
    _fault(kill_worker, "worker"),
    _fault(pause_worker, "worker", 2, 18),
    _fault(rolling_restart, "worker"),
    _fault(kill_ingest, "ingest", rest_s=5),
    _fault(kill_ingest_worker, "ingest"),
    _fault(pause_ingest_worker, "ingest", 2, 12),
    _fault(pause_ingest, "ingest", 1, 6),
    _fault(restart_ingest, "ingest"),
    _fault(break_ingest_connections, "ingest wire"),
    _fault(break_worker_connections, "worker wire"),
    _fault(lose_confirms, "ingest wire", 0.1, 1.5),
    _fault(freeze_ingest_wire, "ingest wire", 2, 18),
    _fault(freeze_worker_wire, "worker wire", 2, 18),
    _fault(cut_all_wires, "ingest wire", 1, 8),
    _fault(slow_store, "store", 4, 12),
    _fault(delete_queue, "broker"),
)
#: Against a private node.
NODE_FAULTS = (
    _fault(kill_broker, "broker", 0, 4, rest_s=6),
    _fault(restart_broker, "broker", rest_s=6),
    _fault(pause_broker, "broker", 2, 18, rest_s=5),
    _fault(memory_alarm, "broker", 2, 10, rest_s=4),
    _fault(slow_disk, "broker", 5, 12),
)
FAULTS = {fault.kind.name: fault for fault in (*CLIENT_FAULTS, *NODE_FAULTS)}
