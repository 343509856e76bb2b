import contextlib
import errno
import os
import socket
import threading

import pytest

from ingest.kernel_pipe import KernelPipe


@pytest.fixture
def pair():
    listener = socket.create_server(("127.0.0.1", 0))
    sender = socket.create_connection(listener.getsockname())
    receiver, _ = listener.accept()
    receiver.settimeout(5)
    with listener, sender, receiver:
        yield sender, receiver


def _moved(receiver: socket.socket, most: int = 1 << 30) -> bytes:
    content = b""
    with KernelPipe() as pipe:
        while size := pipe.fill(receiver, most - len(content)):
            piece = os.read(pipe.outlet, size)
            assert len(piece) == size
            content += piece
    return content


def _sent(sender: socket.socket, content: bytes) -> None:
    def send() -> None:
        with contextlib.suppress(OSError):  # whoever has seen enough closes both ends
            sender.sendall(content)
            sender.shutdown(socket.SHUT_WR)

    threading.Thread(target=send, daemon=True).start()


CONTENT = os.urandom(3_000_000)


def test_everything_comes_through_in_order(pair):
    _sent(pair[0], CONTENT)
    assert _moved(pair[1]) == CONTENT


def test_no_more_is_taken_than_was_asked_for(pair):
    _sent(pair[0], CONTENT)
    assert _moved(pair[1], 1_234_567) == CONTENT[:1_234_567]
    assert pair[1].recv(10) == CONTENT[1_234_567:1_234_577]


@pytest.mark.parametrize("number", [errno.EINVAL, errno.ENOSYS, errno.EPERM])
def test_where_the_kernel_cannot_splice_the_bytes_are_carried(pair, monkeypatch, number):
    def refuse(*_: object, **__: object) -> int:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(os, "splice", refuse)
    _sent(pair[0], CONTENT)
    assert _moved(pair[1]) == CONTENT


def test_an_urgent_byte_in_between_neither_stops_the_rest_nor_spins(pair):
    sender, receiver = pair
    sender.sendall(b"a" * 1000)
    sender.send(b"!", socket.MSG_OOB)
    sender.sendall(b"b" * 1000)
    sender.shutdown(socket.SHUT_WR)
    assert _moved(receiver) == b"a" * 1000 + b"b" * 1000


def test_a_silent_peer_is_a_time_out(pair):
    pair[1].settimeout(0.05)
    with KernelPipe() as pipe, pytest.raises(TimeoutError):
        pipe.fill(pair[1], 1000)


def test_a_connection_that_is_reset_is_an_error(pair):
    sender, receiver = pair
    sender.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
    sender.close()
    with KernelPipe() as pipe, pytest.raises(ConnectionResetError):
        pipe.fill(receiver, 1000)
