"""A worker that does what must never be done: it puts each message that fails back into its queue.

`python -m mediaflow_scenarios.programs.requeueing_worker CHANNEL` takes from media.CHANNEL, which has to be there. No
setting of the real workers leads here: the mode is made by replacing two of the worker's own functions in this process.
"""

import signal
import sys
from collections.abc import Sequence
from typing import Any

from pika.adapters.blocking_connection import BlockingChannel

from mq_common import _session
from mq_common._returns import Delivery
from mq_common.channels import load_channels
from mq_common.errors import JobInterrupted
from mq_common.events import MediaEvent
from mq_common.jobs import ErrorKinds, FailedAttempt, Failure, JobContext
from mq_common.logs import configure_logging
from mq_common.process import exit_code_of
from mq_common.settings import BrokerSettings, ChannelsSettings, LogSettings, WorkerSettings, load_settings
from mq_common.worker import Worker


class NotNow:
    """A job that never works out: not now, perhaps in a moment."""

    def run(self, event: MediaEvent, context: JobContext) -> bool:
        """Fail, and make the worker believe that it is being stopped: only then does a message go back."""
        context.cancelled.set()
        raise JobInterrupted("the provider does not answer; somebody will try again")

    def attempt_failed(self, event: MediaEvent, failed: FailedAttempt) -> None:
        """Never asked."""

    def gave_up(self, event: MediaEvent, failure: Failure) -> None:
        """Never asked."""


def requeue(_: Any, channel: BlockingChannel, __: str, deliveries: Sequence[Delivery]) -> list[Delivery]:
    """Put the messages back: nack(requeue=True)."""
    for delivery in deliveries:
        channel.basic_nack(delivery.tag, requeue=True)
    return list(deliveries)


def main(channel: str) -> int:
    """Work until stopped."""
    broker, chosen, logs, settings = load_settings(BrokerSettings, ChannelsSettings, LogSettings, WorkerSettings)
    configure_logging(channel, logs)
    _session.give_back = requeue
    _session.declare_channel = lambda *_: None
    spec = load_channels(chosen.channels, chosen.profile)["subtitle"].model_copy(update={"name": channel})
    worker = Worker(spec, NotNow(), broker=broker, settings=settings, kinds=ErrorKinds())
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: worker.stop())
    return worker.run()


if __name__ == "__main__":
    sys.exit(exit_code_of(lambda: main(sys.argv[1])))
