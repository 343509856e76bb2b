import pytest
from pydantic import ValidationError

from media_common.cpus import available_cpus
from transcode.settings import TranscodeSettings


def test_threads_are_the_processors_shared_by_the_job_slots():
    assert TranscodeSettings().threads_per_job(1) == available_cpus()
    assert TranscodeSettings().threads_per_job(10_000) == 1


def test_threads_can_be_set(monkeypatch):
    monkeypatch.setenv("MEDIAFLOW_TRANSCODE_THREADS", "3")

    assert TranscodeSettings().threads_per_job(2) == 3


@pytest.mark.parametrize(("name", "value"), [("THREADS", "0"), ("NICE", "20"), ("MAX_FRAME_RATE", "fast")])
def test_nonsense_is_refused(monkeypatch, name, value):
    monkeypatch.setenv(f"MEDIAFLOW_TRANSCODE_{name}", value)

    with pytest.raises(ValidationError, match=name.lower()):
        TranscodeSettings()
