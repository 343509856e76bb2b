"""The supervisor's control socket: one JSON object per line each way."""

import contextlib
import json
import os
import socket
from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path
from typing import Any

from local_fleet.errors import FleetNotUp

#: A unix socket's address may have this many bytes (107 and a zero); longer paths go through the folder's descriptor.
_LONGEST_ADDRESS = 107

#: A supervisor that does not answer within this many seconds hangs.
_PATIENCE_S = 10.0


class Trouble(StrEnum):
    """Why a request was not carried out: `trouble` of an answer with an `error`."""

    STOPPING = "stopping"
    UNKNOWN_CHANNEL = "unknown-channel"
    UNKNOWN_REPLAY = "unknown-replay"
    REFUSED = "refused"
    CONFIGURATION = "configuration"


@contextlib.contextmanager
def socket_address(path: Path) -> Iterator[str]:
    """Give an address for the socket at `path` that is short enough, however deep its folder is."""
    if len(os.fsencode(path)) <= _LONGEST_ADDRESS:
        yield str(path)
        return
    folder = os.open(path.parent, os.O_PATH | os.O_DIRECTORY)
    try:
        yield f"/proc/self/fd/{folder}/{path.name}"
    finally:
        os.close(folder)


class ControlClient:
    """Talks to the supervisor that listens on a socket."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def ask(self, do: str, **arguments: Any) -> dict[str, Any]:
        """Send a request and give its one answer. Raises FleetNotUp when nobody listens or answers."""
        for answer in self.stream(do, **arguments):
            return answer
        raise FleetNotUp("the supervisor ended while it was asked")

    def stream(self, do: str, *, patience_s: float = _PATIENCE_S, **arguments: Any) -> Iterator[dict[str, Any]]:
        """Send a request and give its answers as they come, each within `patience_s` seconds of the one before."""
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(patience_s)
            try:
                with socket_address(self._path) as address:
                    connection.connect(address)
                connection.sendall(json.dumps({"do": do} | arguments).encode() + b"\n")
                with connection.makefile("rb") as lines:
                    for line in lines:
                        yield json.loads(line)
            except TimeoutError:
                raise FleetNotUp("the supervisor does not answer: make down ends it by force") from None
            except (OSError, ValueError):
                raise FleetNotUp("the fleet is not up") from None

    def is_up(self) -> bool:
        """Whether a supervisor answers."""
        try:
            self.ask("ping")
        except FleetNotUp:
            return False
        return True
