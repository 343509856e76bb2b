"""The one-writer histogram says the same as Prometheus' own."""

from hypothesis import given
from hypothesis import strategies as st
from prometheus_client import CollectorRegistry, Histogram

from mq_common._histogram import OneWriterHistogram

BOUNDS = (0.1, 1, 5)
OURS = OneWriterHistogram("mediaflow_test_seconds", "test", BOUNDS)
counter = iter(range(10**9))


@given(st.lists(st.one_of(st.floats(0, 10), st.sampled_from(BOUNDS)), max_size=60))
def test_buckets_sum_and_count_agree_with_the_library(values: list[float]) -> None:
    registry = CollectorRegistry()
    theirs = Histogram("mediaflow_test_seconds", "test", ["channel"], buckets=BOUNDS, registry=registry)
    channel = f"c{next(counter)}"
    for value in values:
        OURS.of(channel).observe(value)
        theirs.labels(channel).observe(value)
    theirs.labels(channel)
    OURS.of(channel)

    def samples(families: object) -> dict[tuple[str, str], float]:
        return {
            (sample.name, sample.labels.get("le", "")): sample.value
            for family in families  # type: ignore[attr-defined]
            for sample in family.samples
            if sample.labels.get("channel") == channel and not sample.name.endswith("_created")
        }

    assert samples(OURS.collect()) == samples(registry.collect())
