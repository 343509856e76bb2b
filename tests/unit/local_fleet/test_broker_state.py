"""Where a broker is started: on the ports that it had, as far as they are free, and never away from its clients."""

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from local_fleet.broker_files import NodePlan
from local_fleet.broker_state import BrokerState
from local_fleet.errors import BrokerStartFailed


@contextmanager
def taken(port: int) -> Iterator[None]:
    with socket.create_server(("127.0.0.1", port)):
        yield


@pytest.fixture
def plan(tmp_path: Path) -> NodePlan:
    """The plan of an earlier life, started by another process."""
    state = BrokerState(tmp_path)
    plan = state.next_plan()
    state.remember(plan)
    return plan


def test_the_next_start_is_on_the_earlier_ports(plan: NodePlan) -> None:
    assert BrokerState(plan.folder).next_plan() == plan


@pytest.mark.parametrize("port", ["amqp_port", "management_port", "distribution_port", "epmd_port"])
def test_a_new_fleet_gives_up_a_taken_port_and_keeps_everything_else(plan: NodePlan, port: str) -> None:
    with taken(getattr(plan, port)):
        moved = BrokerState(plan.folder).next_plan()

    assert getattr(moved, port) != getattr(plan, port)
    assert replace(moved, **{port: getattr(plan, port)}) == plan


@pytest.mark.parametrize("port", ["amqp_port", "management_port"])
def test_a_running_fleets_broker_comes_back_where_its_clients_look_for_it_or_not_at_all(
    plan: NodePlan, port: str
) -> None:
    state = BrokerState(plan.folder)
    state.remember(plan)

    with taken(getattr(plan, port)), pytest.raises(BrokerStartFailed, match=f"port {getattr(plan, port)}, .* taken"):
        state.next_plan()

    assert state.next_plan() == plan


@pytest.mark.parametrize("port", ["distribution_port", "epmd_port"])
def test_a_running_fleets_broker_may_change_the_ports_that_clients_do_not_know(plan: NodePlan, port: str) -> None:
    state = BrokerState(plan.folder)
    state.remember(plan)

    with taken(getattr(plan, port)):
        moved = state.next_plan()

    assert moved.address == plan.address
    assert getattr(moved, port) != getattr(plan, port)
