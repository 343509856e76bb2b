"""A console without its threads, asked through Flask's test client."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from pydantic import SecretStr

from console.app import create_app
from console.control.fleet_control import FleetControl
from console.runtime import Runtime, open_runtime
from console.settings import ConsoleSettings
from media_common.settings import StoreSettings
from mq_common.settings import BrokerSettings, ChannelsSettings

MakeConsole = Callable[..., Flask]


#: Nobody listens there, least of all a broker of the user's.
NO_BROKER = BrokerSettings(amqp_url=SecretStr("amqp://guest:guest@127.0.0.1:1/%2F"))


@pytest.fixture
def make_runtime(tmp_path: Path) -> Iterator[Callable[..., Runtime]]:
    """Open what a console stands on; nothing is started. Settings by name."""
    opened = []

    def make(control: FleetControl | None = None, **settings: Any) -> Runtime:
        store = StoreSettings(store_url=(tmp_path / "media").as_uri(), store_fsync=False)
        opened.append(open_runtime(ConsoleSettings(**settings), store, NO_BROKER, ChannelsSettings(), control))
        return opened[-1]

    yield make
    for each in opened:
        each.close()


@pytest.fixture
def make_console(make_runtime: Callable[..., Runtime]) -> MakeConsole:
    """Make the application. Settings by name."""
    return lambda **settings: create_app(make_runtime(**settings))
