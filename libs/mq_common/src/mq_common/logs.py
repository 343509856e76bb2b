"""Structured logs: short past-tense events with fields; JSON for collectors, columns for people."""

import logging
import re
import sys
from datetime import UTC, datetime

import orjson
import structlog
from structlog.typing import EventDict, Processor, WrappedLogger

from mq_common._log_outlet import GATHERED, Outlet
from mq_common.settings import LogSettings

__all__ = ["GATHERED", "configure_logging", "write_out"]

#: Pika reports each socket step at INFO; operators need only what goes wrong.
_QUIET = ("pika",)
#: A text that needs no quotes on a terminal: nothing in it parts fields, ends a line or commands the terminal.
_PLAIN = re.compile(r"[^\s\"'=\x00-\x1f\x7f-\x9f]*").fullmatch

_outlet = Outlet()


def configure_logging(service: str, settings: LogSettings) -> None:
    """Send structlog's and the standard library's records to stderr in one format, each with ``service``."""
    level = logging.getLevelNamesMapping()[settings.log_level.upper()]
    _outlet.open(sys.stderr.buffer)
    shared = [structlog.contextvars.merge_contextvars, structlog.processors.add_log_level, _origin(service)]
    structlog.configure(
        processors=[*shared, structlog.processors.format_exc_info, _renderer(settings)],
        wrapper_class=structlog.make_filtering_bound_logger(level),
        logger_factory=_outlet,
        cache_logger_on_first_use=True,
    )
    _bridge_standard_library(shared, settings, level)


def write_out() -> None:
    """Write the lines that loggers of the kind GATHERED have kept back."""
    _outlet.write_out()


def _origin(service: str) -> Processor:
    """Say where and when: the service's name, and the time in UTC."""

    def add_origin(_: WrappedLogger, __: str, event: EventDict) -> EventDict:
        event.setdefault("service", service)
        event["timestamp"] = datetime.now(UTC).isoformat()[:-6] + "Z"
        return event

    return add_origin


def _renderer(settings: LogSettings) -> Processor:
    if settings.log_format == "json":
        return _json_line
    if not sys.stderr.isatty():
        return _columns
    colourful = structlog.dev.ConsoleRenderer(colors=True, exception_formatter=structlog.dev.plain_traceback)
    return lambda logger, name, event: str(colourful(logger, name, event)).encode(errors="backslashreplace")


def _json_line(_: WrappedLogger, __: str, event: EventDict) -> bytes:
    return orjson.dumps(event, default=str)


def _columns(_: WrappedLogger, __: str, event: EventDict) -> bytes:
    """Give the line that structlog's ConsoleRenderer gives without colours, at a fifth of its cost."""
    moment, level, name = event.pop("timestamp", ""), event.pop("level", ""), event.pop("event", "")
    stack, exception = event.pop("stack", None), event.pop("exception", None)
    fields = " ".join([f"{key}={_text(event[key])}" for key in sorted(event)])
    parts = [f"{moment} [{level:<9}] {name:<30} {fields}".rstrip(), stack, exception]
    return "\n".join([part for part in parts if part]).encode(errors="backslashreplace")


def _text(value: object) -> str:
    return value if isinstance(value, str) and _PLAIN(value) else repr(value)


def _bridge_standard_library(shared: list[Processor], settings: LogSettings, level: int) -> None:
    """Give the records of libraries (gunicorn, werkzeug, pika) the same form."""
    renderer: Processor = (
        structlog.processors.JSONRenderer()
        if settings.log_format == "json"
        else structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty())
    )
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=shared,
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, renderer],
        )
    )
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level)
    for name in _QUIET:
        logging.getLogger(name).setLevel(max(level, logging.CRITICAL))
