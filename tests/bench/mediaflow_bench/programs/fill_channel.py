"""Declares a channel's topology and fills its queue with events: COUNT."""

import sys

from mediaflow_bench.programs.consume_ours import bench_channel
from mediaflow_bench.programs.outcome import tell
from mq_common.events import MediaEvent
from mq_common.messages import Outcome, OutgoingMessage, event_message
from mq_common.publisher import ConfirmingPublisher
from mq_common.settings import BrokerSettings
from mq_common.topology import declare_topology


def main(count: int) -> None:
    """Publish straight to the queue."""
    spec, settings = bench_channel(), BrokerSettings()
    declare_topology(settings, [spec])
    publisher = ConfirmingPublisher(settings, confirm_timeout=60)
    futures = []
    for number in range(count):
        message = event_message(MediaEvent.create(asset_id=f"bench-{number}", owner_id="u-1", duration_sec=120))
        futures.append(publisher.submit(OutgoingMessage("", spec.queue, message.body, message.properties)))
    tell(confirmed=sum(future.result() is Outcome.CONFIRMED for future in futures))
    publisher.close()


if __name__ == "__main__":
    main(int(sys.argv[1]))
