"""Fixtures of the replayer's tests."""

from pathlib import Path

import pytest

from dead_letter_fixtures import channel, settings, spec, store

__all__ = ["channel", "environment", "settings", "spec", "store"]


@pytest.fixture
def environment(amqp_url: str, tmp_path: Path) -> dict[str, str]:
    return {"AMQP_URL": amqp_url, "MEDIAFLOW_STORE_URL": (tmp_path / "store").as_uri()}
