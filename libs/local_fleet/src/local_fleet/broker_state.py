"""What is known on disk about a broker that was started from a folder, and its processes."""

import json
import secrets
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from local_fleet.broker_files import NodePlan
from local_fleet.errors import BrokerStartFailed
from local_fleet.identity import ProcessIdentity
from local_fleet.ports import free_ports, is_free


class BrokerState:
    """The file `broker.json` of a broker's folder: its plan and the identities of its processes."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._file = folder / "broker.json"
        self._known_to_clients = False

    def plan(self) -> NodePlan | None:
        """Read the plan of the last start; None before the first."""
        try:
            return NodePlan(**(self._read()["plan"] | {"folder": self._folder}))
        except (KeyError, TypeError):
            return None

    def identity(self, role: str) -> ProcessIdentity | None:
        """Identify the process in `role` ("node", "epmd"), if it still runs."""
        try:
            identity = ProcessIdentity(**self._read()[role])
        except (KeyError, TypeError):
            return None
        return identity if identity.is_alive() else None

    def next_plan(self) -> NodePlan:
        """Plan a start: on the earlier ports as far as they are free, with the name and login its data belongs to.

        Raises BrokerStartFailed when this object has planned a start before, and somebody else has taken the address
        of then: clients know it, and would look for the broker there for ever.
        """
        amqp, management, distribution, epmd, metrics = free_ports(5)
        earlier = self.plan()
        if earlier is None:
            name, password = f"mediaflow-{secrets.token_hex(4)}@localhost", secrets.token_urlsafe(18)
            return NodePlan(
                self._folder, name, amqp, management, distribution, epmd, "mediaflow", password, metrics_port=metrics
            )
        taken = [port for port in (earlier.amqp_port, earlier.management_port) if not is_free(port)]
        if taken and self._known_to_clients:
            raise BrokerStartFailed(
                f"port {taken[0]}, on which clients look for the broker, is taken by another program"
            )
        return replace(
            earlier,
            amqp_port=amqp if earlier.amqp_port in taken else earlier.amqp_port,
            management_port=management if earlier.management_port in taken else earlier.management_port,
            distribution_port=earlier.distribution_port if is_free(earlier.distribution_port) else distribution,
            epmd_port=earlier.epmd_port if is_free(earlier.epmd_port) else epmd,
            metrics_port=earlier.metrics_port if earlier.metrics_port and is_free(earlier.metrics_port) else metrics,
        )

    def remember(self, plan: NodePlan, **processes: ProcessIdentity | None) -> None:
        """Write plan and processes; readable by the owner only, since the login is in it."""
        self._known_to_clients = True
        state: dict[str, object] = {"plan": asdict(plan) | {"folder": str(plan.folder)}}
        state |= {role: asdict(identity) for role, identity in processes.items() if identity}
        partial = self._file.with_suffix(".part")
        partial.touch(mode=0o600)
        partial.write_text(json.dumps(state))
        partial.replace(self._file)

    def _read(self) -> dict[str, Any]:
        try:
            state = json.loads(self._file.read_text())
        except (OSError, ValueError):
            return {}
        return state if isinstance(state, dict) else {}
