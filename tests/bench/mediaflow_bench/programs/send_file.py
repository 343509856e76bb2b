"""Sends a file over one connection to this machine and waits for the other side's end: PORT FILE WAY [TARGET].

WAY: `sendfile` lets the kernel send it, which costs little here, as a sender elsewhere does; `copied` reads and writes
it in small pieces, as curl does. TARGET makes it the raw body of a POST there; without, the bytes go as they are.
"""

import os
import socket
import sys
import time
from pathlib import Path
from typing import BinaryIO

from mediaflow_bench.programs.outcome import tell

_AT_ONCE = 4 * 1024 * 1024
_PIECE = 64 * 1024


def send_file(port: int, path: Path, way: str, target: str | None) -> tuple[float, str]:
    """Give the seconds from connecting to the answer, or to the connection's end, and the answer's status."""
    size = path.stat().st_size
    with path.open("rb", buffering=0) as file:
        began = time.perf_counter()
        with socket.create_connection(("127.0.0.1", port)) as connection:
            if target is not None:
                head = f"POST {target} HTTP/1.1\r\nHost: bench\r\nContent-Type: video/mp4\r\nContent-Length: {size}\r\n"
                connection.sendall(head.encode() + b"\r\n")
            {"sendfile": _let_send, "copied": _copy}[way](connection, file, size)
            if target is None:
                connection.shutdown(socket.SHUT_WR)
            answer = connection.recv(_PIECE)
            seconds = time.perf_counter() - began
    return seconds, answer[9:12].decode()


def _let_send(connection: socket.socket, file: BinaryIO, size: int) -> None:
    sent = 0
    while sent < size:
        sent += os.sendfile(connection.fileno(), file.fileno(), sent, min(size - sent, _AT_ONCE))


def _copy(connection: socket.socket, file: BinaryIO, _size: int) -> None:
    while piece := file.read(_PIECE):
        connection.sendall(piece)


if __name__ == "__main__":
    port, path, way, *target = sys.argv[1:]
    taken, status = send_file(int(port), Path(path), way, target[0] if target else None)
    tell(seconds=taken, status=status)
