"""TCP ports on the loopback interface."""

import contextlib
import random
import socket
from pathlib import Path

LOOPBACK = "127.0.0.1"

#: Ports from here up to the kernel's own range are picked from.
_LOWEST = 15000
_EPHEMERAL = Path("/proc/sys/net/ipv4/ip_local_port_range")
_USUAL_EPHEMERAL_LOW = 32768


def free_ports(count: int) -> tuple[int, ...]:
    """Give `count` different ports that nothing listens on at this moment.

    They lie below the range from which the kernel gives ports to outgoing connections: a client that keeps trying
    a port of that range on its own machine ends up connected to itself, and then holds the server's port.
    """
    candidates = list(range(_LOWEST, _ephemeral_low()))
    random.shuffle(candidates)
    free = (port for port in candidates if is_free(port))
    return tuple(next(free) for _ in range(count))


def is_free(port: int, host: str = LOOPBACK) -> bool:
    """Whether a server could listen on `port` now."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError:
            return False
        return True


def _ephemeral_low() -> int:
    with contextlib.suppress(OSError, ValueError):
        low = int(_EPHEMERAL.read_text().split()[0])
        if low > _LOWEST + 1000:
            return low
    return _USUAL_EPHEMERAL_LOW
