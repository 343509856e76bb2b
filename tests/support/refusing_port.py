"""A port on which nobody listens, and nobody else can while the test needs it to be so."""

import socket
from collections.abc import Iterator
from contextlib import contextmanager

from local_fleet.ports import free_ports


@contextmanager
def refusing_port() -> Iterator[int]:
    """Hold a loopback port that refuses every connection.

    A port that was given back may be somebody else's a moment later; and one of the kernel's own range can be given to
    the very client that tries to connect to it, which is then connected to itself.
    """
    while True:
        with socket.socket() as held:
            try:
                held.bind(("127.0.0.1", free_ports(1)[0]))
            except OSError:  # taken in between
                continue
            yield held.getsockname()[1]
            return
