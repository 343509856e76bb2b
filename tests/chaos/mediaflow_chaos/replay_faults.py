"""Replays of dead letters while everything else goes on: killed in the middle, held up, and left to end."""

import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from local_fleet.lifeline import bound_command
from mediaflow_chaos.faults import Fault
from mediaflow_chaos.fleet import CHANNELS
from mediaflow_chaos.strikes import FaultKind, Strike
from mediaflow_chaos.world import World

#: Slow enough that a kill meets it at work.
_RATE = "40/s"
_END_LIMIT_S = 60.0
#: Done, or: somebody else (a worker that rejects, another replay) was at the queue.
_ORDERLY = (0, 1)


def kill_replayer(world: World, strike: Strike) -> None:
    """SIGKILL a replay: between a publish and its ack it leaves a duplicate, and never a hole."""
    with _replay(world, strike) as replay:
        world.last(strike.for_s)
        replay.kill()


def pause_replayer(world: World, strike: Strike) -> None:
    """SIGSTOP a replay until the broker has given up on it, and let it go on; then let another one end."""
    with _replay(world, strike) as replay:
        world.last(1.5)
        replay.send_signal(signal.SIGSTOP)
        world.last(strike.for_s)
        replay.send_signal(signal.SIGCONT)
        replay.wait(_END_LIMIT_S)


def stop_replayer(world: World, strike: Strike) -> None:
    """SIGTERM a replay: it has to end in order."""
    with _replay(world, strike) as replay:
        world.last(strike.for_s)
        replay.terminate()
        if (code := replay.wait(_END_LIMIT_S)) not in (*_ORDERLY, -signal.SIGTERM):  # the signal, while it still starts
            world.remarks.append(f"a replay that was asked to stop ended with {code}")


@contextmanager
def _replay(world: World, strike: Strike) -> Iterator[subprocess.Popen[bytes]]:
    # The one channel whose provider fails, mostly: there is something to replay.
    channel = "subtitle" if strike.target % 4 else CHANNELS[strike.target % len(CHANNELS)]
    command = [sys.executable, "-m", "replayer", "--channel", channel, "--rate", _RATE]
    with (world.fleet.logs / "replayer.log").open("ab") as log:
        replay = subprocess.Popen(
            bound_command(command, signal.SIGKILL),
            env=world.fleet.environment(world.fleet.worker_amqp_url),
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
        )
    try:
        yield replay
    finally:
        replay.kill()
        replay.wait()


REPLAY_FAULTS = (
    Fault(FaultKind("kill-replayer", "replayer", 0.8, 3.0), kill_replayer),
    Fault(FaultKind("pause-replayer", "replayer", 2.0, 15.0), pause_replayer),
    Fault(FaultKind("stop-replayer", "replayer", 0.8, 3.0), stop_replayer),
)
