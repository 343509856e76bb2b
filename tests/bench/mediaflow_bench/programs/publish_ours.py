"""Publishes with ConfirmingPublisher: EXCHANGE ROUTING_KEY COUNT WINDOW."""

import sys
import time
from collections import Counter

from mediaflow_bench.programs.outcome import sample_message, tell
from mq_common.publisher import ConfirmingPublisher
from mq_common.settings import BrokerSettings


def main(exchange: str, routing_key: str, count: int, window: int) -> None:
    """Submit from one thread, and wait until every message is answered."""
    message = sample_message(exchange, routing_key)
    publisher = ConfirmingPublisher(BrokerSettings(), window=window, confirm_timeout=60)
    publisher.start()
    while not publisher.ready:
        time.sleep(0.01)
    began, cpu = time.perf_counter(), time.process_time()
    futures = [publisher.submit(message) for _ in range(count)]
    outcomes = Counter(future.result().value for future in futures)
    tell(seconds=time.perf_counter() - began, cpu_s=time.process_time() - cpu, outcomes=outcomes)
    publisher.close()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
