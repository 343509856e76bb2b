"""A TCP relay that can be frozen, made deaf to one side, cut and mended, as networks are."""

import socket
import threading
from collections.abc import Callable
from contextlib import suppress

#: How long a server may be silent before a client that waits for it is turned away; longer than clients wait.
_SILENCE_S = 60.0


class Wire:
    """Relays connections to a server. Every change of its state may come from any thread."""

    def __init__(self, host: str, port: int) -> None:
        self._target = (host, port)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self._open = True
        self._requests_pass = threading.Event()
        self._answers_pass = threading.Event()
        self._lock = threading.Lock()
        self._pairs: list[tuple[socket.socket, socket.socket]] = []
        self.mend()
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def connections(self) -> int:
        """How many connections it relays now."""
        with self._lock:
            return len(self._pairs)

    def freeze(self) -> None:
        """Nothing gets through, nothing breaks."""
        self._requests_pass.clear()
        self._answers_pass.clear()

    def hold_answers(self) -> None:
        """What clients say arrives; what the server answers does not."""
        self._answers_pass.clear()

    def break_all(self) -> None:
        """Break what is open; new connections go through. What was held back is lost with its connection."""
        with self._lock:
            pairs, self._pairs = self._pairs, []
        for pair in pairs:
            for end in pair:
                with suppress(OSError):
                    end.shutdown(socket.SHUT_RDWR)

    def cut(self) -> None:
        """Break what is open and refuse what comes."""
        self._open = False
        self.break_all()

    def mend(self) -> None:
        """Let everything through again."""
        self._open = True
        self._requests_pass.set()
        self._answers_pass.set()

    def close(self) -> None:
        """End the relay."""
        self.cut()
        self._requests_pass.set()
        self._answers_pass.set()
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            if not self._open:
                client.close()
                continue
            threading.Thread(target=self._join, args=(client,), daemon=True).start()

    def _join(self, client: socket.socket) -> None:
        """Connect to the server. While it is not heard of, the client hears nothing either: there is no refusal."""
        try:
            server = socket.create_connection(self._target, timeout=_SILENCE_S)
        except OSError:
            client.close()
            return
        server.settimeout(None)
        pair = (client, server)
        with self._lock:
            still_open = self._open
            if still_open:
                self._pairs.append(pair)
        if not still_open:
            client.close()
            server.close()
            return
        self._start(client, server, self._requests_pass, lambda: self._forget(pair))
        self._start(server, client, self._answers_pass, lambda: self._forget(pair))

    def _start(
        self, source: socket.socket, sink: socket.socket, passes: threading.Event, ended: Callable[[], None]
    ) -> None:
        threading.Thread(target=_relay, args=(source, sink, passes, ended), daemon=True).start()

    def _forget(self, pair: tuple[socket.socket, socket.socket]) -> None:
        with self._lock, suppress(ValueError):
            self._pairs.remove(pair)


def _relay(source: socket.socket, sink: socket.socket, passes: threading.Event, ended: Callable[[], None]) -> None:
    with suppress(OSError):
        while data := source.recv(65536):
            passes.wait()
            sink.sendall(data)
    ended()
    for end in (source, sink):
        with suppress(OSError):
            end.shutdown(socket.SHUT_RDWR)
