"""What is known on disk about a broker that was started from a folder, and its processes."""

import json
import secrets
from dataclasses import asdict
from pathlib import Path
from typing import Any

from local_fleet.broker_files import NodePlan
from local_fleet.identity import ProcessIdentity
from local_fleet.ports import free_ports, is_free


class BrokerState:
    """The file `broker.json` of a broker's folder: its plan and the identities of its processes."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._file = folder / "broker.json"

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
        """Plan a start: on the earlier ports if they are free, with the name and login its data belongs to."""
        earlier = self.plan()
        if earlier and all(map(is_free, earlier.ports)):
            return earlier
        amqp, management, distribution, epmd = free_ports(4)
        return NodePlan(
            folder=self._folder,
            name=earlier.name if earlier else f"mediaflow-{secrets.token_hex(4)}@localhost",
            amqp_port=amqp,
            management_port=management,
            distribution_port=distribution,
            epmd_port=epmd,
            user=earlier.user if earlier else "mediaflow",
            password=earlier.password if earlier else secrets.token_urlsafe(18),
        )

    def remember(self, plan: NodePlan, **processes: ProcessIdentity | None) -> None:
        """Write plan and processes; readable by the owner only, since the login is in it."""
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
