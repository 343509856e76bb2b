"""The settings that each service reads, read as it does: from an environment alone, without starting anything."""

import os
import signal
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from typing import Any
from unittest import mock

from mq_common.channels import load_channels
from mq_common.settings import load_settings


class _Read(Exception):
    """The settings are right; there is no need to go on."""


def read_settings(service: str, environment: Mapping[str, str]) -> None:
    """Read the settings as the service does. Raises mq_common's ConfigurationError that names the variable."""
    with _only(environment):
        for module, start in _STARTS[service]:
            with _stopped_after(module), _signals_kept():
                try:
                    start()
                except _Read:
                    continue
                raise AssertionError(f"{service} read no settings")


def _stop_after(*classes: Any, **options: Any) -> Any:
    load_settings(*classes, **options)
    raise _Read


@contextmanager
def _stopped_after(module: str) -> Iterator[None]:
    with mock.patch.object(import_module(module), "load_settings", _stop_after):
        yield


@contextmanager
def _only(environment: Mapping[str, str]) -> Iterator[None]:
    with mock.patch.dict(os.environ, dict(environment), clear=True):
        yield


@contextmanager
def _signals_kept() -> Iterator[None]:
    kept = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        yield
    finally:
        for number, handler in kept.items():
            signal.signal(number, handler)


def _worker(channel: str) -> list[tuple[str, Callable[[], Any]]]:
    def run() -> Any:
        from mq_common.worker import run_worker

        return run_worker(channel, lambda _: None)  # type: ignore[arg-type,return-value]

    def build() -> Any:
        spec = load_channels()[channel]
        return import_module(f"{channel}.__main__").build_job(spec)

    return [("mq_common.worker", run), (f"{channel}.__main__", build)]


#: For each service the functions that read settings, and the modules they do it in.
_STARTS: dict[str, list[tuple[str, Callable[[], Any]]]] = {
    "ingest": [("ingest.server", lambda: import_module("ingest.server").serve())],
    "console": [("console.server", lambda: import_module("console.server").serve())],
    "topology": [("mq_common.declaration", lambda: import_module("mq_common.declaration")._run())],
    "replayer": [("replayer.cli", lambda: import_module("replayer.cli")._settings())],
    **{channel: _worker(channel) for channel in ("thumbnail", "transcode", "subtitle")},
}
