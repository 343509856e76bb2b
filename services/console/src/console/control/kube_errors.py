"""What the API server's refusals mean for an operator. Pure."""

import json
from collections.abc import Mapping
from dataclasses import dataclass

from console.control.fleet_control import ControlError, ControlRefused, ControlUnavailable


@dataclass(frozen=True, slots=True)
class Call:
    """One request to the API: a Role's verb on a resource of a group; `resource` may have a subresource: pods/log."""

    verb: str
    group: str
    resource: str
    namespace: str
    name: str = ""

    def __str__(self) -> str:
        kind = f"{self.resource}.{self.group}" if self.group else self.resource
        return f"{self.verb} {kind}{f' {self.name}' if self.name else ''} in namespace {self.namespace}"


class Conflict(ControlRefused):
    """Somebody changed the object since it was read, or there is one of that name already."""


class Absent(ControlRefused):
    """There is no such object, or the API has no such kind."""


def translate(call: Call, status: int, headers: Mapping[str, str], body: bytes) -> ControlError:
    """Say what the answer `status` to `call` means and what to do."""
    said = _message(body)
    match status:
        case 401:
            error: ControlError = ControlUnavailable(
                "The API server does not know the console's account (401). Check its service account's token, or the"
                " credentials of the kubeconfig."
            )
        case 403:
            needed = f"the verb {call.verb!r} on {call.resource} of API group {call.group or chr(34) * 2}"
            error = ControlUnavailable(f"The console may not {call}. Its Role needs {needed}.")
        case 404:
            error = Absent(f"Not found: {call}. {said}".rstrip())
        case 409:
            error = Conflict(f"Somebody else changed it at the same moment ({call}). Look again, then repeat.")
        case 429 | 503:
            after = next((value for name, value in headers.items() if name.lower() == "retry-after"), "a few")
            error = ControlUnavailable(f"The API server has too much to do ({status}). Repeat in {after} seconds.")
        case 400 | 422:
            error = ControlRefused(f"The API server refuses to {call}: {said}")
        case _:
            error = ControlUnavailable(f"The API server answers {status} to: {call}. {said}".rstrip())
    return error


def unreachable(host: str, why: str) -> ControlUnavailable:
    """Say that no answer came."""
    return ControlUnavailable(
        f"The API server at {host} can't be reached: {why}. The fleet runs on by itself; look at the network policy and"
        " the cluster's control plane."
    )


def _message(body: bytes) -> str:
    try:
        status = json.loads(body)
    except ValueError:
        return ""
    return str(status.get("message", "")) if isinstance(status, dict) else ""
