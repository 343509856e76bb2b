"""TCP ports on the loopback interface."""

import contextlib
import fcntl
import os
import random
import socket
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

LOOPBACK = "127.0.0.1"

#: Ports from here up to the kernel's own range are picked from.
_LOWEST = 15000
_EPHEMERAL = Path("/proc/sys/net/ipv4/ip_local_port_range")
_USUAL_EPHEMERAL_LOW = 32768

#: Seconds for which a port that was given away is given to nobody else: a broker takes its time until it listens.
_RESERVED_S = 120.0


def free_ports(count: int) -> tuple[int, ...]:
    """Give `count` different ports that nothing listens on now and that nobody else of this user was given just now.

    They lie below the range from which the kernel gives ports to outgoing connections: a client that keeps trying
    a port of that range on its own machine ends up connected to itself, and then holds the server's port.
    """
    candidates = list(range(_LOWEST, _ephemeral_low()))
    random.shuffle(candidates)
    with _reservations() as reserved:
        free = (port for port in candidates if port not in reserved and is_free(port))
        chosen = tuple(next(free) for _ in range(count))
        reserved.update(dict.fromkeys(chosen, time.time()))
    return chosen


@contextlib.contextmanager
def _reservations() -> Iterator[dict[int, float]]:
    """Give what is reserved, by port the time when, while no other process of this user looks; keep what is added.

    Reserving is a courtesy: where the file can't be used, ports are given without it.
    """
    file = Path(tempfile.gettempdir(), f"mediaflow-ports-{os.getuid()}")
    try:
        descriptor = os.open(file, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    except OSError:
        yield {}
        return
    with os.fdopen(descriptor, "r+") as kept:
        fcntl.flock(kept, fcntl.LOCK_EX)
        now = time.time()
        reserved: dict[int, float] = {}
        for line in kept:
            with contextlib.suppress(ValueError):
                port, since = line.split()
                if abs(now - float(since)) < _RESERVED_S:
                    reserved[int(port)] = float(since)
        yield reserved
        kept.seek(0)
        kept.truncate()
        kept.writelines(f"{port} {since}\n" for port, since in reserved.items())


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
