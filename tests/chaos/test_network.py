"""The network of namespaces: links that go down without a word, in both directions or one, and nothing left behind."""

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from mediaflow_chaos.ip_tool import ip_list
from mediaflow_chaos.network import Network, NetworkImpossible, remove_leftovers

from mq_workers import eventually

PORT = 4000
ECHO = f"""
import socket, threading
def echo(peer):
    while data := peer.recv(100):
        peer.sendall(data)
server = socket.create_server(("0.0.0.0", {PORT}))
while True:
    threading.Thread(target=echo, args=(server.accept()[0],), daemon=True).start()
"""
#: Sends a datagram to each address, again and again, and prints from whom one comes.
TALK = """
import socket, sys, time
me, *others = sys.argv[1:]
talk = socket.socket(type=socket.SOCK_DGRAM)
talk.bind((me, 4001))
talk.settimeout(0.02)
while True:
    for other in others:
        talk.sendto(b"x", (other, 4001))
    try:
        print(talk.recvfrom(10)[1][0], flush=True)
    except TimeoutError:
        pass
"""


@pytest.fixture
def network() -> Iterator[Network | None]:
    """Three hosts; none where the machine does not allow it: there the ledger says so and does without."""
    try:
        network = Network(3)
    except NetworkImpossible as error:
        assert str(error)
        yield None
        return
    yield network
    network.close()


def traces(pid: int) -> list[str]:
    """Everything that carries the pid in its name."""
    links = [str(link["ifname"]) for link in ip_list("link") if str(link["ifname"]).startswith(f"mf{pid}.")]
    return links + [path.name for path in Path("/run/netns").glob(f"mediaflow-chaos-{pid}-*")]


def test_who_is_cut_off_is_told_nothing_and_goes_on_when_the_link_is_back(network: Network | None) -> None:
    if network is None:
        return
    echo = subprocess.Popen([*network.command(0), sys.executable, "-c", ECHO])
    try:
        eventually(lambda: connects(network.addresses[0]))
        with socket.create_connection((network.addresses[0], PORT), 5) as client:
            client.settimeout(0.5)
            network.cut(0)
            client.sendall(b"lost on its way")
            with pytest.raises(TimeoutError):
                client.recv(100)
            with pytest.raises(TimeoutError):
                socket.create_connection((network.addresses[0], PORT), 0.5)
            network.mend()
            client.settimeout(10)
            assert client.recv(100) == b"lost on its way"
    finally:
        echo.kill()
        echo.wait()


def test_one_direction_can_be_silent_while_the_other_one_speaks(network: Network | None, tmp_path: Path) -> None:
    if network is None:
        return
    talkers, heard = [], [tmp_path / str(number) for number in range(3)]
    try:
        for number, address in enumerate(network.addresses):
            others = [other for other in network.addresses if other != address]
            with heard[number].open("wb") as file:
                command = [*network.command(number), sys.executable, "-c", TALK, address, *others]
                talkers.append(subprocess.Popen(command, stdout=file))

        def hears(receiver: int, sender: int) -> bool:
            heard[receiver].open("rb+").truncate(0)
            try:
                eventually(lambda: network.addresses[sender] in heard[receiver].read_text(), within_s=0.7)
            except AssertionError:
                return False
            return True

        eventually(lambda: all(hears(one, other) for one in range(3) for other in range(3) if one != other))
        network.silence(0, 1)
        eventually(lambda: not hears(1, 0))
        assert hears(0, 1)
        assert hears(2, 0)
        assert hears(1, 2)
        network.mend()
        assert hears(1, 0)
    finally:
        for talker in talkers:
            talker.kill()
            talker.wait()


def test_nothing_of_a_network_is_left_when_it_is_closed(network: Network | None) -> None:
    if network is None:
        return
    beside = Network(1)
    assert beside.addresses[0] not in network.addresses
    network.close()
    assert len(traces(os.getpid())) == 3, "of the other one: a bridge, a link and a namespace"
    beside.close()

    assert traces(os.getpid()) == []


def test_what_a_killed_run_left_is_removed_by_the_next_and_what_a_live_one_has_stays(network: Network | None) -> None:
    if network is None:
        return
    script = (
        "import time; from mediaflow_chaos.network import Network; Network(2); print(1, flush=True); time.sleep(60)"
    )
    paths = os.pathsep.join(sys.path)
    environment = os.environ | {"PYTHONPATH": paths}
    run = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, env=environment)
    assert run.stdout is not None
    assert run.stdout.readline() == b"1\n"
    run.send_signal(signal.SIGKILL)
    run.wait()
    run.stdout.close()
    assert len(traces(run.pid)) == 5, "a bridge, and a link and a namespace for each host"

    remove_leftovers()

    assert traces(run.pid) == []
    assert len(traces(os.getpid())) == 7


def test_a_machine_that_allows_no_namespaces_is_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")

    with pytest.raises(NetworkImpossible, match="ip"):
        Network(1)


def connects(address: str) -> bool:
    try:
        socket.create_connection((address, PORT), 1).close()
    except OSError:
        return False
    return True
