"""The operators' console: ``python -m console``."""

import sys

from console.server import serve
from mq_common.process import exit_code_of


def main() -> int:
    """Serve until stopped; gives the exit code."""
    return exit_code_of(serve)


if __name__ == "__main__":
    sys.exit(main())
