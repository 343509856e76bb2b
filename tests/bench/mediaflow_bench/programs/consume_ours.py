"""Consumes with mq_common's worker and a job that does nothing: COUNT PREFETCH LOG_LEVEL."""

import sys

from mediaflow_bench.programs.outcome import tell
from mediaflow_bench.programs.stopwatch import Stopwatch
from mq_common.channels import ChannelSpec, load_channels
from mq_common.events import MediaEvent
from mq_common.jobs import ErrorKinds, FailedAttempt, Failure, JobContext
from mq_common.logs import configure_logging
from mq_common.settings import BrokerSettings, LogSettings, WorkerSettings
from mq_common.worker import Worker


def bench_channel(prefetch: int = 100) -> ChannelSpec:
    """Give the channel that is measured: one job thread, as the others have one thread."""
    usual = load_channels(None, "simulated")["thumbnail"]
    return usual.model_copy(update={"name": "bench", "prefetch": prefetch, "concurrency": 1})


class NoJob:
    """Does nothing, `count` times, then stops the worker."""

    def __init__(self, count: int) -> None:
        self._left = count
        self.worker: Worker | None = None

    def run(self, event: MediaEvent, context: JobContext) -> bool:
        self._left -= 1
        if self._left == 0 and self.worker is not None:
            self.worker.stop()
        return True

    def attempt_failed(self, event: MediaEvent, failed: FailedAttempt) -> None:
        """Never asked."""

    def gave_up(self, event: MediaEvent, failure: Failure) -> None:
        raise AssertionError(failure)


def main(count: int, prefetch: int, log_level: str) -> None:
    """Work off `count` messages."""
    stopwatch = Stopwatch()
    stopwatch.watch()
    configure_logging("bench", LogSettings(log_format="json", log_level=log_level))
    job = NoJob(count)
    settings = WorkerSettings(health_port=0)
    job.worker = Worker(bench_channel(prefetch), job, broker=BrokerSettings(), settings=settings, kinds=ErrorKinds())
    job.worker.run()
    tell(seconds=stopwatch.seconds, cpu_s=stopwatch.cpu_s, acks=stopwatch.acks)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3])
