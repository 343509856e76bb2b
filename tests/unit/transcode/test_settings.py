import pytest
from pydantic import ValidationError

from transcode.settings import TranscodeSettings


def test_threads_are_the_jobs_share_of_the_processors_unless_set(monkeypatch):
    assert TranscodeSettings().threads is None

    monkeypatch.setenv("MEDIAFLOW_TRANSCODE_THREADS", "3")

    assert TranscodeSettings().threads == 3


@pytest.mark.parametrize(("name", "value"), [("THREADS", "0"), ("NICE", "20"), ("MAX_FRAME_RATE", "fast")])
def test_nonsense_is_refused(monkeypatch, name, value):
    monkeypatch.setenv(f"MEDIAFLOW_TRANSCODE_{name}", value)

    with pytest.raises(ValidationError, match=name.lower()):
        TranscodeSettings()
