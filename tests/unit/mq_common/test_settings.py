"""Settings: a bad value or a misspelt variable names itself, and secrets stay secret."""

import os

import pytest

from mq_common.errors import ConfigurationError
from mq_common.settings import BrokerSettings, Settings, WorkerSettings, load_settings


class ThumbnailTestSettings(Settings):
    thumbnail_width: int = 160


@pytest.fixture(autouse=True)
def clean_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in list(os.environ):
        if name.startswith("MEDIAFLOW_") or name == "AMQP_URL":
            monkeypatch.delenv(name)


def test_defaults_need_no_variable_at_all() -> None:
    broker, worker = load_settings(BrokerSettings, WorkerSettings)

    assert broker.amqp_url.get_secret_value().startswith("amqp://")
    assert worker.grace_s == 30


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("AMQP_URL", "http://broker"),
        ("MEDIAFLOW_GRACE_S", "-1"),
        ("MEDIAFLOW_GRACE_S", "soon"),
        ("MEDIAFLOW_HEALTH_PORT", "99999"),
        ("MEDIAFLOW_START_LIMIT_S", "0"),
        ("MEDIAFLOW_HEARTBEAT_S", "1"),
    ],
)
def test_a_bad_value_names_its_variable(monkeypatch: pytest.MonkeyPatch, name: str, value: str) -> None:
    monkeypatch.setenv(name, value)

    with pytest.raises(ConfigurationError, match=f"^{name}: "):
        load_settings(BrokerSettings, WorkerSettings)


def test_a_misspelt_variable_is_an_error_that_offers_the_right_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEDIAFLOW_GRACE_SEC", "5")

    with pytest.raises(
        ConfigurationError, match="MEDIAFLOW_GRACE_SEC: no such setting; did you mean MEDIAFLOW_GRACE_S"
    ):
        load_settings(WorkerSettings)


def test_neighbours_variables_are_theirs_to_check_and_ours_are_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEDIAFLOW_TRANSCODE_THREADS", "2")
    load_settings(ThumbnailTestSettings, owner="THUMBNAIL_")

    monkeypatch.setenv("MEDIAFLOW_THUMBNAIL_WIDHT", "2")
    with pytest.raises(ConfigurationError, match="MEDIAFLOW_THUMBNAIL_WIDHT"):
        load_settings(ThumbnailTestSettings, owner="THUMBNAIL_")


class StoreTestSettings(Settings):
    store_url: str = ""


def test_a_librarys_variable_is_checked_by_those_who_read_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEDIAFLOW_STORE_ULR", "file:///x")

    load_settings(BrokerSettings)
    with pytest.raises(ConfigurationError, match="did you mean MEDIAFLOW_STORE_URL"):
        load_settings(StoreTestSettings)


def test_a_password_shows_neither_in_errors_nor_in_the_settings_text(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AMQP_URL", "ampq://user:hunter2@broker")
    with pytest.raises(ConfigurationError) as refused:
        load_settings(BrokerSettings)
    assert "hunter2" not in str(refused.value)

    monkeypatch.setenv("AMQP_URL", "amqp://user:hunter2@broker")
    (broker,) = load_settings(BrokerSettings)
    assert "hunter2" not in repr(broker)
