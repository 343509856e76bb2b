"""Replays all dead letters of the bench channel with the replayer's machinery: STORE ASSET ("-": every one)."""

import resource
import sys
import time

from media_common.settings import StoreSettings
from mediaflow_bench.programs.consume_ours import bench_channel
from mediaflow_bench.programs.outcome import tell
from mq_common.logs import configure_logging
from mq_common.replay import Replay
from mq_common.replay_rules import ReplayPlan, Selection
from mq_common.settings import BrokerSettings, LogSettings
from replayer.store_records import StoreRecords


def main(store: str, asset: str) -> None:
    """Run once; timed from the first message seen to the end of the run."""
    configure_logging("bench", LogSettings(log_level="warning"))
    began: list[tuple[float, float]] = []
    moved: list[float] = []

    def note(tally: object) -> None:
        if not began:
            began.append((time.perf_counter(), time.process_time()))
        if not moved and run.tally.moved == run.tally.depth:
            moved.append(time.perf_counter())

    spec = bench_channel()
    plan = ReplayPlan(Selection(asset=None if asset == "-" else asset))
    records = StoreRecords(StoreSettings(store_url=f"file://{store}"), spec.name)
    run = Replay(BrokerSettings(), spec, plan, records=records, on_progress=note)
    before_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    tally = run.run()
    ended = moved[0] if moved else time.perf_counter()
    tell(
        seconds=ended - began[0][0],
        cpu_s=time.process_time() - began[0][1],
        moved=tally.moved,
        seen=tally.seen,
        before_mb=before_mb,
        peak_mb=resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    )


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
