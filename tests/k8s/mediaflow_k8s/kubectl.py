"""kubectl, with a time limit on each call, in one namespace."""

import json
import subprocess
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

Json = dict[str, Any]

#: What a component is called in the chart's labels.
COMPONENT, CHANNEL, INSTANCE = "app.kubernetes.io/component", "mediaflow.io/channel", "app.kubernetes.io/instance"


class CommandFailed(Exception):
    """A command ended with another code than 0, or did not end in time. Says what it said."""


def run_command(command: Sequence[object], *, limit_s: float, stdin: bytes | None = None) -> str:
    """Run a program; gives its standard output. Raises CommandFailed."""
    words = [str(word) for word in command]
    shown = " ".join([Path(words[0]).name, *words[1:]])[:300]
    try:
        done = subprocess.run(words, input=stdin or b"", capture_output=True, timeout=limit_s, check=False)
    except subprocess.TimeoutExpired as late:
        said = (late.stderr or b"").decode(errors="replace").strip()[-2000:]
        raise CommandFailed(f"{shown}: not done after {limit_s:.0f} s. {said}") from None
    if done.returncode:
        said = (done.stderr or done.stdout).decode(errors="replace").strip()[-4000:]
        raise CommandFailed(f"{shown}: exit code {done.returncode}: {said}")
    return done.stdout.decode(errors="replace")


def until(condition: Callable[[], Any], what: str, limit_s: float, pause_s: float = 1.0) -> Any:
    """Wait until the condition gives something true; gives that. Raises TimeoutError, which says for what."""
    deadline = time.monotonic() + limit_s
    while not (found := condition()):
        if time.monotonic() > deadline:
            raise TimeoutError(f"{what} did not come true in {limit_s:.0f} s")
        time.sleep(pause_s)
    return found


@dataclass(frozen=True, slots=True)
class Kubectl:
    """One cluster, one namespace. `limit_s`: seconds for a call that waits for nothing."""

    program: Path
    kubeconfig: Path
    namespace: str
    limit_s: float = 60.0

    @property
    def command(self) -> list[str]:
        """The words before a subcommand."""
        return [str(self.program), f"--kubeconfig={self.kubeconfig}", f"--namespace={self.namespace}"]

    def run(self, *words: object, stdin: str | bytes | None = None, limit_s: float | None = None) -> str:
        """Run a subcommand; gives what it prints. Raises CommandFailed."""
        given = stdin.encode() if isinstance(stdin, str) else stdin
        return run_command([*self.command, *words], limit_s=limit_s or self.limit_s, stdin=given)

    def get(self, *words: object) -> Json:
        """Get objects as JSON."""
        found: Json = json.loads(self.run("get", *words, "-o", "json"))
        return found

    def items(self, kind: str, **labels: str) -> list[Json]:
        """List objects by labels: `component` and `channel` are the chart's."""
        names = {"component": COMPONENT, "channel": CHANNEL, "release": INSTANCE}
        chosen = ",".join(f"{names.get(name, name)}={value}" for name, value in labels.items())
        return list(self.get(kind, *(["-l", chosen] if chosen else []))["items"])

    def apply(self, *objects: Json) -> None:
        """Make objects, or change them to this."""
        self.run("apply", "-f", "-", stdin=json.dumps({"apiVersion": "v1", "kind": "List", "items": list(objects)}))

    def exists(self, *words: object) -> bool:
        """Tell whether there is such an object. Raises CommandFailed when the cluster does not answer."""
        return bool(self.run("get", *words, "--ignore-not-found", "-o", "name").strip())
