"""The upload service: ``python -m ingest``."""

import os
import sys

from ingest.metrics_folder import prepare_metrics_folder, remove_metrics_folder
from mq_common.process import exit_code_of, need_temporary_folder


def main() -> int:
    """Serve until stopped; gives the exit code."""
    master = os.getpid()
    try:
        return exit_code_of(_serve)
    finally:
        if os.getpid() == master:  # a worker, which is a fork of this process, comes by here too
            remove_metrics_folder()


def _serve() -> int:
    need_temporary_folder()
    prepare_metrics_folder()
    from ingest.server import serve  # noqa: PLC0415 - it imports prometheus_client, which needs the folder's name first

    return serve()


if __name__ == "__main__":
    sys.exit(main())
