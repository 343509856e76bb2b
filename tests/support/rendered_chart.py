"""What the chart renders, as helm does it. Each set of values is rendered once in a test run, whoever asks."""

import fcntl
import hashlib
import json
import os
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from kube_tools import ROOT, kube_tool

Json = dict[str, Any]

CHART = ROOT / "charts" / "mediaflow"
#: What the API of a cluster with KEDA says, and of one with the Prometheus Operator.
KEDA = ("keda.sh/v1alpha1", "keda.sh/v1alpha1/ScaledObject", "keda.sh/v1alpha1/TriggerAuthentication")
PROMETHEUS = tuple(
    f"monitoring.coreos.com/v1{kind}" for kind in ("", "/ServiceMonitor", "/PodMonitor", "/PrometheusRule")
)

_Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@dataclass(frozen=True)
class Rendering:
    """One call of helm: `values` on top of the files, for a cluster that knows `apis`."""

    values: Mapping[str, Any] = field(default_factory=dict)
    files: tuple[str, ...] = ()
    apis: tuple[str, ...] = ()
    release: str = "films"
    namespace: str = "media"
    kubernetes: str = "1.31.0"

    @property
    def command(self) -> list[str]:
        """How helm is called; the values come over its standard input."""
        command = [str(kube_tool("helm")), "template", self.release, str(CHART), "--namespace", self.namespace]
        command += ["--kube-version", self.kubernetes]
        command += [word for api in self.apis for word in ("--api-versions", api)]
        command += [word for file in self.files for word in ("--values", str(CHART / file))]
        return [*command, "--values", "-"]

    def objects(self) -> list[Json]:
        """Give the rendered objects; fails the test when the chart refuses the values."""
        status, answer = self._outcome()
        assert status == 0, f"helm refused {json.dumps(self.values)}: {answer}"
        return list(answer)

    def refusal(self) -> str:
        """Give what helm says against the values; fails the test when it has nothing against them."""
        status, answer = self._outcome()
        assert status != 0, f"helm took {json.dumps(self.values)}"
        return str(answer)

    def _outcome(self) -> tuple[int, Any]:
        key = json.dumps([self.command, self.values], sort_keys=True)
        file = _cache() / f"{hashlib.sha256(key.encode()).hexdigest()}.json"
        if not file.exists():
            with file.with_suffix(".lock").open("w") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX)
                if not file.exists():
                    unfinished = file.with_suffix(".new")
                    unfinished.write_text(json.dumps(self._run()))
                    unfinished.rename(file)
        status, answer = json.loads(file.read_text())
        return status, answer

    def _run(self) -> tuple[int, Any]:
        done = subprocess.run(
            self.command, input=json.dumps(self.values), capture_output=True, text=True, timeout=60, check=False
        )
        if done.returncode:
            return done.returncode, done.stderr
        return 0, [each for each in yaml.load_all(done.stdout, _Loader) if each]


@cache
def _cache() -> Path:
    """Give a folder of the whole test run, so that xdist's workers share what was rendered."""
    folder = Path(os.environ.get("FLEET_TESTS_FOLDER") or tempfile.mkdtemp()) / "rendered"
    folder.mkdir(exist_ok=True)
    return folder


def merged(*layers: Mapping[str, Any]) -> Json:
    """Lay values over values, as helm does."""
    result: Json = {}
    for layer in layers:
        for key, value in layer.items():
            below = result.get(key)
            result[key] = merged(below, value) if isinstance(below, dict) and isinstance(value, Mapping) else value
    return result


def at(path: str, value: Any) -> Json:
    """Give the values that say one thing: `at("ingest.replicas", 3)`."""
    result = value
    for key in reversed(path.split(".")):
        result = {key: result}
    return dict(result)


def named(objects: Sequence[Json], kind: str, name: str = "") -> list[Json]:
    """Choose objects by kind, and by what their name ends with."""
    return [each for each in objects if each["kind"] == kind and each["metadata"]["name"].endswith(name)]


def the(objects: Sequence[Json], kind: str, name: str = "") -> Json:
    """Give the only one of its kind whose name ends so."""
    (found,) = named(objects, kind, name)
    return found
