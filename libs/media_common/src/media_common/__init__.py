"""The media toolbox: object store, ffmpeg runner, probe, results. Knows nothing of RabbitMQ."""

import sys


def _import_structlog_without_rich() -> None:
    """Save each process 4 MB and a fifth of a second: structlog loads rich to draw tracebacks that we keep plain."""
    if "structlog" in sys.modules or "rich" in sys.modules:
        return
    sys.modules["rich"] = None  # type: ignore[assignment] # its import fails now, which structlog is prepared for
    try:
        import structlog  # noqa: F401, PLC0415
    finally:
        del sys.modules["rich"]


_import_structlog_without_rich()
