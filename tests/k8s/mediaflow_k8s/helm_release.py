"""A release of the chart, by helm."""

import json
import subprocess
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

from mediaflow_k8s.kubectl import CommandFailed, run_command
from mediaflow_k8s.parameters import CHART

_POLL_S = 3.0


@dataclass(frozen=True, slots=True)
class HelmRelease:
    """One release in one namespace."""

    program: Path
    kubeconfig: Path
    namespace: str
    name: str

    def install(self, *values: Path, limit_s: float, hopeless: Callable[[], str]) -> None:
        """Install, and wait until all is ready; ends early when `hopeless` says why it never will be."""
        self._watched("install", self.name, CHART, *_files(values), *_wait(limit_s), limit_s=limit_s, hopeless=hopeless)

    def upgrade(self, *values: Path, limit_s: float, hopeless: Callable[[], str], options: Sequence[str] = ()) -> None:
        """Upgrade to these values, and wait until all is ready."""
        words = ("upgrade", self.name, CHART, *_files(values), *options, *_wait(limit_s))
        self._watched(*words, limit_s=limit_s, hopeless=hopeless)

    def over_edits(self) -> tuple[str, ...]:
        """Give the option with which an upgrade puts back what kubectl changed: Helm 3 does it without being told."""
        major = self._run("version", "--template={{.Version}}", limit_s=60).lstrip("v").partition(".")[0]
        return ("--force-conflicts",) if int(major) > 3 else ()

    def rollback(self, revision: int, *, limit_s: float) -> None:
        """Go back to a revision, and wait until all is ready."""
        self._run("rollback", self.name, revision, *_wait(limit_s), limit_s=limit_s + 30)

    def uninstall(self, *, limit_s: float) -> None:
        """Remove it, and wait until its objects are gone."""
        self._run("uninstall", self.name, *_wait(limit_s), limit_s=limit_s + 30)

    def test(self, *, limit_s: float) -> str:
        """Run the chart's own tests; gives their logs. Raises CommandFailed when one fails."""
        return self._run("test", self.name, "--logs", f"--timeout={limit_s:.0f}s", limit_s=limit_s + 30)

    def rendered(self, template: str, *values: Path) -> str:
        """Give what one template of the chart makes of these values; nothing is installed."""
        only = f"--show-only=templates/{template}.yaml"
        return self._run("template", self.name, CHART, *_files(values), only, limit_s=60)

    def notes(self) -> str:
        """Give what the release said to whoever installed it."""
        return self._run("get", "notes", self.name, limit_s=60)

    def revision(self) -> int:
        """Give the number of the newest revision."""
        history = json.loads(self._run("history", self.name, "-o", "json", limit_s=60))
        return int(max(each["revision"] for each in history))

    def values(self) -> dict[str, Any]:
        """Give all values in force, the chart's own too."""
        found: dict[str, Any] = json.loads(self._run("get", "values", self.name, "--all", "-o", "json", limit_s=60))
        return found

    def _command(self, *words: object) -> list[str]:
        return [str(self.program), *map(str, words), f"--kubeconfig={self.kubeconfig}", f"--namespace={self.namespace}"]

    def _run(self, *words: object, limit_s: float) -> str:
        return run_command(self._command(*words), limit_s=limit_s)

    def _watched(self, *words: object, limit_s: float, hopeless: Callable[[], str]) -> None:
        """Run it while looking whether it can succeed. Raises CommandFailed."""
        with TemporaryFile() as said:
            process = subprocess.Popen(self._command(*words), stdin=subprocess.DEVNULL, stdout=said, stderr=said)
            deadline, why = time.monotonic() + limit_s + 30, ""
            while process.poll() is None and not why:
                why = hopeless() or ("it took too long" if time.monotonic() > deadline else "")
                time.sleep(_POLL_S)
            if process.poll() is None:
                process.kill()
                process.wait()
            if process.returncode:
                said.seek(0)
                told = said.read().decode(errors="replace").strip()[-3000:]
                raise CommandFailed(f"helm {words[0]}: {why or told}")


def _files(values: tuple[Path, ...]) -> list[str]:
    return [f"--values={file}" for file in values]


def _wait(limit_s: float) -> tuple[str, str]:
    return ("--wait", f"--timeout={limit_s:.0f}s")
