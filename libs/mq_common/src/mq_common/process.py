"""How a process of the fleet ends: one line on stderr and an exit code that says why."""

import sys
from collections.abc import Callable

from mq_common.errors import BrokerUnreachable, ConfigurationError, MediaflowError, TopologyMismatch

EXIT_STOPPED = 0
EXIT_CONFIGURATION = 2
EXIT_BROKER_UNREACHABLE = 3
EXIT_TOPOLOGY_MISMATCH = 4

_CODES: tuple[tuple[type[MediaflowError], int], ...] = (
    (ConfigurationError, EXIT_CONFIGURATION),
    (BrokerUnreachable, EXIT_BROKER_UNREACHABLE),
    (TopologyMismatch, EXIT_TOPOLOGY_MISMATCH),
)


def exit_code_of(main: Callable[[], int]) -> int:
    """Run ``main`` and turn the errors that end a process into its exit code, with one clear line for each."""
    try:
        return main()
    except MediaflowError as error:
        for kind, code in _CODES:
            if isinstance(error, kind):
                sys.stderr.write(f"mediaflow: {error}\n")
                return code
        raise
