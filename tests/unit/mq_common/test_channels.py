"""The channels file: the article's numbers, and errors that name the key."""

from pathlib import Path

import pytest

from mq_common.channels import load_channels
from mq_common.errors import ConfigurationError

ONE_CHANNEL = """
[channels.preview]
delivery_limit = 5
job_time_limit_s = 60
[profiles.media.preview]
prefetch = 1
concurrency = 1
retries = { count = 1, initial_ms = 1, multiplier = 2.0, max_ms = 10 }
workers = { min = 1, max = 2 }
messages_per_worker = 15
simulated = { latency_ms = 1, failure_rate = 0.0 }
"""


@pytest.mark.parametrize(
    ("name", "limit", "prefetch", "retries", "workers", "latency", "failing"),
    [
        ("thumbnail", 10, 20, 3, (4, 16), 30, 0.0),
        ("transcode", 5, 5, 3, (2, 8), 2000, 0.0),
        ("subtitle", 3, 10, 2, (2, 4), 150, 0.1),
    ],
)
def test_the_simulated_profile_has_the_articles_numbers(
    name: str, limit: int, prefetch: int, retries: int, workers: tuple[int, int], latency: int, failing: float
) -> None:
    spec = load_channels(profile="simulated")[name]

    assert (spec.delivery_limit, spec.prefetch, spec.retries.count) == (limit, prefetch, retries)
    assert (spec.workers.min, spec.workers.max) == workers
    assert (spec.simulated.latency_ms, spec.simulated.failure_rate) == (latency, failing)


def test_long_media_jobs_share_no_blame_with_prefetched_neighbours() -> None:
    channels = load_channels(profile="media")

    assert [channels[name].prefetch for name in ("transcode", "subtitle")] == [1, 1]


def test_profiles_agree_on_everything_that_is_a_queue_argument() -> None:
    media, simulated = load_channels(profile="media"), load_channels(profile="simulated")

    for name, spec in media.items():
        other = simulated[name]
        assert (spec.delivery_limit, spec.job_time_limit_s, spec.max_length) == (
            other.delivery_limit,
            other.job_time_limit_s,
            other.max_length,
        )


@pytest.mark.parametrize(
    ("before", "after", "complaint"),
    [
        ("delivery_limit = 5", "delivery_limit = 0", "delivery_limit"),
        ("delivery_limit = 5", "delivery_limt = 5", "delivery_limi?t"),
        ("concurrency = 1", "concurrency = 2", "concurrency 2 is above prefetch 1"),
        ("min = 1, max = 2", "min = 3, max = 2", "min 3 is above max 2"),
        ("failure_rate = 0.0", "failure_rate = 1.5", "simulated.failure_rate"),
        ("preview]", "Preview]", "channel name 'Preview' must match"),
        ("[channels.preview]", "[channels.other]", r"has \[profiles.media.preview\] but no \[channels.preview\]"),
        ("[profiles.media.preview]", "[profiles.simulated.preview]", r"lacks \[profiles.media.preview\]"),
        ("prefetch = 1", "prefetch = ", "can't be read"),
    ],
)
def test_a_wrong_value_names_its_key(tmp_path: Path, before: str, after: str, complaint: str) -> None:
    path = tmp_path / "channels.toml"
    path.write_text(ONE_CHANNEL.replace(before, after))

    with pytest.raises(ConfigurationError, match=complaint):
        load_channels(path)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"MEDIAFLOW_CHANNELS: .*nowhere\.toml"):
        load_channels(tmp_path / "nowhere.toml")
