"""The broker under test: one private node that may be hurt."""

import re
import signal
import time
from contextlib import suppress
from pathlib import Path
from urllib.parse import unquote, urlsplit

from local_fleet.broker import PrivateBroker
from local_fleet.errors import BrokerStartFailed
from local_fleet.identity import ProcessIdentity
from mq_workers import rabbitmqctl

#: The private node's own limit, put back after an alarm.
_USUAL_WATERMARK = "2GB"
#: Seconds that a port may be taken by another program of this machine.
_PORTS_LIMIT_S = 240.0


class SingleNode:
    """One node. Start it from a thread that lives as long as it should."""

    def __init__(self, folder: Path, *, program: Path | None = None) -> None:
        """`program`: the rabbitmq-server script, by default the installed one."""
        self._node = PrivateBroker(folder, death_signal=signal.SIGKILL, program=program)
        address = self._node.start()
        self.amqp_url, self.management_url = address.amqp_url, address.management_url

    @property
    def vhost(self) -> str:
        """The virtual host's name."""
        return unquote(urlsplit(self.amqp_url).path[1:])

    @property
    def host_and_port(self) -> tuple[str, int]:
        """Where it listens for AMQP."""
        parts = urlsplit(self.amqp_url)
        return str(parts.hostname), int(parts.port or 5672)

    def kill(self) -> None:
        """End it as a power cut would."""
        self._node.kill()

    def stop(self) -> None:
        """End it in order."""
        self._node.stop()

    def start(self) -> None:
        """Start it again on the same ports with the same data, when others that took them meanwhile are gone."""
        deadline = time.monotonic() + _PORTS_LIMIT_S
        while True:
            try:
                self._node.start()
            except BrokerStartFailed:
                if time.monotonic() > deadline:
                    raise
                time.sleep(1.0)
            else:
                return

    def pause(self) -> ProcessIdentity | None:
        """Stop its processor time; connections stay open. Gives the process for `resume`."""
        node = ProcessIdentity.of(self._node.pid) if self._node.pid else None
        if node is not None:
            node.send(signal.SIGSTOP)
        return node

    def raise_memory_alarm(self) -> None:
        """Let it believe that it has no memory left."""
        rabbitmqctl(self._node, "set_vm_memory_high_watermark", "absolute", "1MB")

    def lift_memory_alarm(self) -> None:
        """Give it its memory back."""
        rabbitmqctl(self._node, "set_vm_memory_high_watermark", "absolute", _USUAL_WATERMARK)

    def shorten_consumer_timeout(self, queue: str, milliseconds: int) -> None:
        """Take back what a consumer has held for so long; channels opened from now on are looked at every second.

        Before RabbitMQ 3.12 that holds for every queue; later only for this one, whose own argument comes first.
        """
        setting = "application:set_env(rabbit, {}, {})"
        settings = (("consumer_timeout", milliseconds), ("channel_tick_interval", 1000))
        rabbitmqctl(self._node, "eval", ", ".join(setting.format(*each) for each in settings) + ".")
        policy = ("short-timeout", f"^{re.escape(queue)}$", f'{{"consumer-timeout": {milliseconds}}}')
        with suppress(AssertionError):  # an old one knows no such policy, and needs none
            rabbitmqctl(self._node, "set_policy", "--apply-to", "queues", *policy)

    def slow_disk(self, stall_ms: int, breath_ms: int, rounds: int) -> None:
        """Let the quorum queues' write-ahead log stand still again and again, as on a disk that hardly answers.

        The process that writes and syncs the log is suspended inside the node: works for any user, on any file system,
        and is what a slow disk looks like to everything above it.
        """
        loop = (
            f"[begin P = whereis(ra_log_wal), erlang:suspend_process(P), timer:sleep({stall_ms}), "
            f"erlang:resume_process(P), timer:sleep({breath_ms}) end || _ <- lists:seq(1, {rounds})]"
        )
        rabbitmqctl(self._node, "eval", f"spawn(fun() -> {loop} end), ok.")

    def end(self) -> None:
        """End it for good."""
        with suppress(OSError):
            self._node.kill()
