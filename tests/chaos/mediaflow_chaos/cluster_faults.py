"""Faults of a cluster: one node at a time, so that a majority stays and nothing has an excuse."""

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from mediaflow_chaos.cluster import Cluster, ClusterNode
from mediaflow_chaos.faults import Fault
from mediaflow_chaos.fleet import CHANNELS
from mediaflow_chaos.network import Network
from mediaflow_chaos.strikes import FaultKind, Strike
from mediaflow_chaos.world import World

_CLIENTS = ("ingest", *CHANNELS)


def kill_leader(world: World, strike: Strike) -> None:
    """SIGKILL the node with a work queue's leader; start it again."""
    channel = CHANNELS[strike.target % len(CHANNELS)]
    _without(world, world.cluster.leader_of(f"media.{channel}"), strike)


def kill_clients_node(world: World, strike: Strike) -> None:
    """SIGKILL the node that a client is connected to; start it again."""
    client = _CLIENTS[strike.target % len(_CLIENTS)]
    _without(world, world.cluster.node_of_client(f"mediaflow {client}"), strike)


def pause_node(world: World, strike: Strike) -> None:
    """SIGSTOP a node: it accepts connections and says nothing."""
    node = _any(world, strike)
    process = node.process
    if process is not None:
        process.send(signal.SIGSTOP)
    try:
        world.last(strike.for_s)
    finally:
        if process is not None:
            process.send(signal.SIGCONT)
    _heal(world, node, "a pause")


def refuse_node(world: World, strike: Strike) -> None:
    """Let a node and the others refuse each other, while clients still reach all of them; works on any machine.

    Its distribution links are broken and refused in both directions, by a cookie that does not fit: what a partition is
    to Erlang. The node has to pause itself, since it is in the minority.
    """
    node = _any(world, strike)
    others = ", ".join(f"'{other.plan.name}'" for other in world.cluster.nodes if other is not node)
    node.evaluate(f"[begin erlang:set_cookie(N, cut_off), erlang:disconnect_node(N) end || N <- [{others}]], ok.")
    try:
        world.last(strike.for_s)
    finally:
        node.evaluate(f"C = erlang:get_cookie(), [erlang:set_cookie(N, C) || N <- [{others}]], ok.")
    _heal(world, node, "being refused by the others")


def cut_node_off(world: World, strike: Strike) -> None:
    """Take the link of a client's node down: it hears neither the others nor its clients, and nobody is told so."""
    node = world.cluster.node_of_client(f"mediaflow {_CLIENTS[strike.target % len(_CLIENTS)]}")
    with _trouble(world, strike, node, "being cut off") as network:
        network.cut(world.cluster.nodes.index(node))


def part_node(world: World, strike: Strike) -> None:
    """Let nothing through between a queue's leader and the other nodes; clients reach both sides.

    The minority has accepted connections, and must confirm nothing that the majority does not know of.
    """
    node = world.cluster.leader_of(f"media.{CHANNELS[strike.target % len(CHANNELS)]}")
    with _trouble(world, strike, node, "being parted from the others") as network:
        for other in _others(world.cluster, node):
            network.silence(world.cluster.nodes.index(node), other)
            network.silence(other, world.cluster.nodes.index(node))


def deafen_node(world: World, strike: Strike) -> None:
    """Let a node hear nothing of the others, which still hear it."""
    node = _any(world, strike)
    with _trouble(world, strike, node, "hearing nothing") as network:
        for other in _others(world.cluster, node):
            network.silence(other, world.cluster.nodes.index(node))


def mute_node(world: World, strike: Strike) -> None:
    """Let nobody hear a queue's leader, which still hears the others."""
    node = world.cluster.leader_of(f"media.{CHANNELS[strike.target % len(CHANNELS)]}")
    with _trouble(world, strike, node, "saying nothing") as network:
        for other in _others(world.cluster, node):
            network.silence(world.cluster.nodes.index(node), other)


@contextmanager
def _trouble(world: World, strike: Strike, node: ClusterNode, what: str) -> Iterator[Network]:
    """Let the block make trouble in the network; it lasts, and is over in the end."""
    network = world.cluster.network
    assert network is not None, "the nodes have no network of their own"
    try:
        yield network
        world.last(strike.for_s)
    finally:
        network.mend()
    _heal(world, node, what)


def _others(cluster: Cluster, node: ClusterNode) -> list[int]:
    return [number for number, other in enumerate(cluster.nodes) if other is not node]


def _heal(world: World, node: ClusterNode, after: str) -> None:
    if world.cluster.heal(node):
        world.remarks.append(f"{node.plan.name} had to be restarted after {after}")


def _any(world: World, strike: Strike) -> ClusterNode:
    return world.cluster.nodes[strike.target % len(world.cluster.nodes)]


def _without(world: World, node: ClusterNode, strike: Strike) -> None:
    node.kill()
    world.last(strike.for_s)
    node.start()
    world.cluster.await_whole()


def _fault(hit: Callable[[World, Strike], None], shortest_s: float, longest_s: float) -> Fault:
    return Fault(FaultKind(hit.__name__.replace("_", "-"), "broker", shortest_s, longest_s, rest_s=3.0), hit)


#: On any machine.
CLUSTER_FAULTS = (
    _fault(kill_leader, 0, 3),
    _fault(kill_clients_node, 0, 3),
    _fault(pause_node, 6, 20),
)
#: Where the nodes are on loopback.
LOOPBACK_FAULTS = (_fault(refuse_node, 6, 20),)
#: Where each node has a network namespace. Some are over before anybody has noticed, others well after.
NETWORK_FAULTS = (
    _fault(cut_node_off, 6, 25),
    _fault(part_node, 6, 25),
    _fault(deafen_node, 6, 25),
    _fault(mute_node, 6, 25),
)


def faults_of(network: Network | None) -> tuple[Fault, ...]:
    """Give the faults that a cluster on this network can have."""
    return (*CLUSTER_FAULTS, *(NETWORK_FAULTS if network else LOOPBACK_FAULTS))
