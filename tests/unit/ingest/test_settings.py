import pytest

from ingest.settings import OWNER, IngestSettings
from mq_common.errors import ConfigurationError
from mq_common.settings import load_settings


def test_the_defaults_are_safe(monkeypatch):
    (settings,) = load_settings(IngestSettings, owner=OWNER)
    assert settings.host == "127.0.0.1"
    assert settings.allow_simulated is False


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("MEDIAFLOW_INGEST_PORT", "70000"),
        ("MEDIAFLOW_INGEST_PORT", "tcp://10.0.0.1:80"),
        ("MEDIAFLOW_INGEST_WORKERS", "0"),
        ("MEDIAFLOW_INGEST_MAX_UPLOAD_BYTES", "much"),
        ("MEDIAFLOW_INGEST_SERVE_OUTPUTS", "magic"),
        ("MEDIAFLOW_INGEST_CAPACITY", "0"),
        ("MEDIAFLOW_INGEST_HIGH_WATER", "70"),
        ("MEDIAFLOW_INGEST_HIGH_WATER", "0"),
        ("MEDIAFLOW_INGEST_DEPTH_POLL_S", "0"),
        ("MEDIAFLOW_INGEST_WROKERS", "2"),
    ],
)
def test_a_bad_or_unknown_value_names_its_variable(monkeypatch, variable, value):
    monkeypatch.setenv(variable, value)
    with pytest.raises(ConfigurationError, match=variable):
        load_settings(IngestSettings, owner=OWNER)
