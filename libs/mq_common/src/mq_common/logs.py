"""Structured logs: short past-tense events with fields; JSON for collectors, columns for people."""

import logging
import sys

import orjson
import structlog
from structlog.typing import EventDict, WrappedLogger

from mq_common.settings import LogSettings

#: Pika reports each socket step at INFO; operators need only what goes wrong.
_QUIET = ("pika",)


def configure_logging(service: str, settings: LogSettings) -> None:
    """Send structlog's and the standard library's records to stderr in one format, each with ``service``."""
    level = logging.getLevelNamesMapping()[settings.log_level.upper()]

    def add_service(_: WrappedLogger, __: str, event: EventDict) -> EventDict:
        event.setdefault("service", service)
        return event

    shared: list[structlog.typing.Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.processors.add_log_level,
        add_service,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    structlog.configure(
        processors=[*shared, structlog.processors.format_exc_info, _renderer(settings)],
        wrapper_class=structlog.make_filtering_bound_logger(level),
        logger_factory=_logger_factory(settings),
        cache_logger_on_first_use=True,
    )
    _bridge_standard_library(shared, settings, level)


def _renderer(settings: LogSettings) -> structlog.typing.Processor:
    if settings.log_format == "json":
        return structlog.processors.JSONRenderer(serializer=orjson.dumps, default=str)
    return structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty(), exception_formatter=structlog.dev.plain_traceback)


def _logger_factory(settings: LogSettings) -> structlog.BytesLoggerFactory | structlog.WriteLoggerFactory:
    if settings.log_format == "json":
        return structlog.BytesLoggerFactory(sys.stderr.buffer)
    return structlog.WriteLoggerFactory(sys.stderr)


def _bridge_standard_library(shared: list[structlog.typing.Processor], settings: LogSettings, level: int) -> None:
    """Give the records of libraries (gunicorn, werkzeug, pika) the same form."""
    renderer = (
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
