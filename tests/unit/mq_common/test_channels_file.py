import os
from importlib import resources

import pytest

from mq_common import channels_file
from mq_common.channels_file import ChannelsFile
from mq_common.errors import ConfigurationError

PACKAGED = resources.files("mq_common").joinpath("channels.toml").read_text()
PREVIEW = """
[channels.preview]
delivery_limit = 3
job_time_limit_s = 60
[profiles.media.preview]
prefetch = 1
concurrency = 1
retries = { count = 1, initial_ms = 1, multiplier = 1.0, max_ms = 1 }
workers = { min = 1, max = 2 }
messages_per_worker = 1
simulated = { latency_ms = 1, failure_rate = 0.0 }
"""


@pytest.fixture
def watched(tmp_path, monkeypatch):
    monkeypatch.setattr(channels_file, "_LOOK_S", 0.0)
    path = tmp_path / "channels.toml"
    path.write_text(PACKAGED)
    return path


def _rewrite(path, text):
    path.write_text(text)
    seen = path.stat()
    os.utime(path, ns=(seen.st_atime_ns, seen.st_mtime_ns + 1_000_000))


def test_without_a_path_the_packaged_channels_are_there():
    assert "thumbnail" in ChannelsFile(None, "media").current()


def test_a_channel_added_to_the_file_shows_up_without_a_restart(watched):
    channels = ChannelsFile(watched, "media")
    assert "preview" not in channels.current()
    _rewrite(watched, PACKAGED + PREVIEW)
    assert "preview" in channels.current()


@pytest.mark.parametrize("spoilt", ["", "nonsense [", "[channels.x]\n"])
def test_a_spoilt_file_leaves_the_last_good_one_in_force(watched, spoilt):
    channels = ChannelsFile(watched, "media")
    _rewrite(watched, spoilt)
    assert "thumbnail" in channels.current()
    watched.unlink()
    assert "thumbnail" in channels.current()


def test_a_spoilt_file_at_the_start_is_a_configuration_error(tmp_path):
    with pytest.raises(ConfigurationError, match="MEDIAFLOW_CHANNELS"):
        ChannelsFile(tmp_path / "missing.toml", "media")
