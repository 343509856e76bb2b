"""The pytest fixtures: `media_fixtures` (inputs by name) and `silent_listener` (nobody may connect to it)."""

import socket
import threading
from collections.abc import Iterator

import pytest

from media_fixtures.cache import FixtureCache

__all__ = ["SilentListener", "media_fixtures", "silent_listener"]


class SilentListener:
    """A loopback HTTP address that counts who comes; answers nothing."""

    def __init__(self) -> None:
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.connections = 0
        self._thread = threading.Thread(target=self._count, daemon=True)
        self._thread.start()

    @property
    def url(self) -> str:
        """An address on it that looks like a video."""
        return f"http://127.0.0.1:{self._socket.getsockname()[1]}/clip.mp4"

    def _count(self) -> None:
        while True:
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return
            self.connections += 1
            connection.close()

    def close(self) -> None:
        """Stop listening."""
        self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()
        self._thread.join(5)


@pytest.fixture(scope="session")
def media_fixtures() -> FixtureCache:
    """Inputs by name: ``media_fixtures["rotated"]`` is a path. The names are the keys of recipes.RECIPES."""
    return FixtureCache()


@pytest.fixture
def silent_listener() -> Iterator[SilentListener]:
    """An address that hostile inputs name; the test asserts that nobody came."""
    listener = SilentListener()
    yield listener
    listener.close()
