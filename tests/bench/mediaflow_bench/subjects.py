"""Everything that can be measured, by name."""

from collections.abc import Callable, Iterable, Sequence

from mediaflow_bench import (
    ingest,
    ingest_file,
    memory,
    planner,
    publisher,
    replayer,
    simulator,
    thumbnail,
    transcode,
    worker,
)
from mediaflow_bench.row import Row
from mediaflow_bench.workplace import Workplace

SUBJECTS: dict[str, Callable[[Workplace], Iterable[Row]]] = {
    "publisher": publisher.measure,
    "worker-pika": worker.measure_pika,
    "worker-frameworks": worker.measure_frameworks,
    "replayer": replayer.measure,
    "ingest-rates": ingest.measure_rates,
    "ingest-saturation": ingest.measure_saturation,
    "ingest-file": ingest_file.measure,
    "thumbnail-seeks": thumbnail.measure_seeks,
    "thumbnail-length": thumbnail.measure_length,
    "transcode": transcode.measure,
    "simulator": simulator.measure,
    "planner": planner.measure,
    "memory": memory.measure,
}


def chosen(names: Sequence[str]) -> list[str]:
    """Give the subjects whose names begin with one of `names`; all without any."""
    return [subject for subject in SUBJECTS if not names or subject.startswith(tuple(names))]
