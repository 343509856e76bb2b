"""How a process of the fleet ends: one line on stderr and an exit code that says why."""

import sys
import tempfile
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


def need_temporary_folder() -> None:
    """Check that temporary files have a place, which a container with a read-only root may lack.

    Raises ConfigurationError.
    """
    try:
        tempfile.gettempdir()
    except FileNotFoundError:
        raise ConfigurationError(
            "TMPDIR: no folder for temporary files can be written to; mount one at /tmp, or name one"
        ) from None
