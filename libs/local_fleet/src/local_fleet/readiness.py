"""Asks a process over HTTP whether it is ready."""

import asyncio
import contextlib

#: An answer that takes longer counts as not ready, in seconds.
_PATIENCE_S = 2.0


async def is_ready(host: str, port: int, path: str = "/readyz") -> bool:
    """Whether `GET path` answers 200."""
    try:
        return await asyncio.wait_for(_ask(host, port, path), _PATIENCE_S)
    except (OSError, TimeoutError, asyncio.IncompleteReadError):
        return False


async def _ask(host: str, port: int, path: str) -> bool:
    reader, writer = await asyncio.open_connection(host, port)
    try:
        writer.write(f"GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n".encode())
        await writer.drain()
        status = await reader.readline()
        return status.split(b" ")[1:2] == [b"200"]
    finally:
        writer.close()
        with contextlib.suppress(OSError):
            await writer.wait_closed()
