"""iproute2's command."""

import json
import shlex
import subprocess
from typing import Any


class IpFailed(Exception):
    """It could not do it, and says why."""


def ip(*commands: str, namespace: str = "") -> None:
    """Carry out ``ip`` commands, one after the other. Raises IpFailed."""
    for command in commands:
        _run([*(("-n", namespace) if namespace else ()), *shlex.split(command)])


def ip_list(what: str) -> list[dict[str, Any]]:
    """List "link" or "addr" of this process's own namespace. Raises IpFailed."""
    return list(json.loads(_run(["-json", what, "show"]) or "[]"))


def _run(arguments: list[str]) -> str:
    try:
        done = subprocess.run(["ip", *arguments], capture_output=True, text=True, timeout=20, check=False)
    except (OSError, subprocess.SubprocessError) as error:
        raise IpFailed(str(error)) from error
    if done.returncode:
        raise IpFailed(f"ip {' '.join(arguments)}: {done.stderr.strip()}")
    return done.stdout
