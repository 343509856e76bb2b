"""Faults of a cluster: one node at a time, so that a majority stays and nothing has an excuse."""

import signal
from collections.abc import Callable

from mediaflow_chaos.cluster import ClusterNode
from mediaflow_chaos.faults import Fault
from mediaflow_chaos.fleet import CHANNELS
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


def cut_node_off(world: World, strike: Strike) -> None:
    """Cut a node off from the others, while clients still reach it.

    Its distribution links are broken and refused in both directions, by a cookie that does not fit: what a partition is
    to Erlang, on any machine and without privileges. The node has to pause itself, since it is in the minority.
    """
    node = _any(world, strike)
    others = ", ".join(f"'{other.plan.name}'" for other in world.cluster.nodes if other is not node)
    node.evaluate(f"[begin erlang:set_cookie(N, cut_off), erlang:disconnect_node(N) end || N <- [{others}]], ok.")
    try:
        world.last(strike.for_s)
    finally:
        node.evaluate(f"C = erlang:get_cookie(), [erlang:set_cookie(N, C) || N <- [{others}]], ok.")
    _heal(world, node, "being cut off")


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


CLUSTER_FAULTS = (
    _fault(kill_leader, 0, 3),
    _fault(kill_clients_node, 0, 3),
    _fault(pause_node, 6, 20),
    _fault(cut_node_off, 6, 20),
)
