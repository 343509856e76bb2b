"""A pipe through which the kernel moves bytes from a socket to a file, without a copy in this process."""

import errno
import fcntl
import os
import socket
from contextlib import suppress
from types import TracebackType
from typing import Self

#: Bytes that wait in the pipe at most, where the system allows so many.
_WANTED_BYTES = 1024 * 1024
#: Bytes that are carried over by hand at once.
_CARRIED_BYTES = 64 * 1024
#: What the kernel says where it cannot splice from this kind of socket, or not at all.
_NO_SPLICE = frozenset({errno.EINVAL, errno.ENOSYS, errno.EPERM})


class KernelPipe:
    """Filled from a socket, to be emptied to the last byte before it is filled again."""

    def __init__(self) -> None:
        self.outlet, self._inlet = os.pipe()
        with suppress(OSError):  # this user's pipes have all the memory they may have: then it stays smaller
            fcntl.fcntl(self._inlet, fcntl.F_SETPIPE_SZ, _WANTED_BYTES)
        self._room: int = fcntl.fcntl(self._inlet, fcntl.F_GETPIPE_SZ)

    def fill(self, source: socket.socket, most: int) -> int:
        """Move what the socket has into the empty pipe, at most so many bytes; 0 when the peer has ended.

        Waits for the first byte. Raises TimeoutError after the socket's own time-out, OSError when it broke.
        """
        most = min(most, self._room)
        moved = self._splice(source, most)
        if moved is None:
            source.recv(1, socket.MSG_PEEK)  # waits
            moved = self._splice(source, most)
        # Nothing may mean the end, and also that the next byte is an urgent one, where splicing stops.
        return moved or self._carry(source, most)

    def _splice(self, source: socket.socket, most: int) -> int | None:
        """Move what is there; None: nothing is there yet; 0: nothing can be had in this way."""
        try:
            return os.splice(source.fileno(), self._inlet, most, flags=os.SPLICE_F_NONBLOCK)
        except BlockingIOError:
            return None
        except OSError as error:
            if error.errno not in _NO_SPLICE:
                raise
            return 0

    def _carry(self, source: socket.socket, most: int) -> int:
        return os.write(self._inlet, source.recv(min(most, _CARRIED_BYTES)))

    def close(self) -> None:
        """Throw away what is in it."""
        os.close(self._inlet)
        os.close(self.outlet)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
