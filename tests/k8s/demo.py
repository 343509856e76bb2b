"""Walks the scenarios on a cluster: `make kind-demo`, or on any other one that KUBECONFIG names.

NAMESPACE (mediaflow) and RELEASE (mediaflow) say which release; it has to take simulated uploads, as values-kind.yaml
lets it. BURST, PATIENCE and the like are those of `make test-k8s`. STEPS="1 2 7" plays only these.
"""

import os
import sys
import time
from pathlib import Path

_HERE = Path(__file__).parent
sys.path[:0] = [str(_HERE), str(_HERE.parent / "chaos"), str(_HERE.parent / "support")]

from mediaflow_k8s.client_pod import NAME  # noqa: E402 - found by the line before
from mediaflow_k8s.demo_steps import STEPS  # noqa: E402
from mediaflow_k8s.installation import Installation  # noqa: E402
from mediaflow_k8s.kubectl import CommandFailed  # noqa: E402
from mediaflow_k8s.parameters import ROOT, Missing, read_parameters  # noqa: E402
from mediaflow_k8s.step import NotPlayed, Step, StepFailed  # noqa: E402
from mediaflow_k8s.tables import summary  # noqa: E402
from mediaflow_k8s.tools import find_tools  # noqa: E402

_KIND = ROOT / ".run" / "kind" / "kubeconfig"


def main() -> int:
    """Play them. 0: all passed; 1: one did not; 2: there is nothing to play on."""
    environment = dict(os.environ)
    environment.setdefault("NAMESPACE", "mediaflow")
    if _KIND.is_file():
        environment.setdefault("KUBECONFIG", str(_KIND))
    try:
        fleet = Installation.of(read_parameters(environment), find_tools())
        fleet.check_cluster()
        if not fleet.kubectl.items("deployments", component="ingest", release=fleet.parameters.release):
            raise Missing(
                f"No release {fleet.parameters.release} in the namespace {fleet.parameters.namespace}: make kind-up."
            )
    except (Missing, CommandFailed) as missing:
        print(f"not played: {missing}", file=sys.stderr)
        return 2
    chosen = environment.get("STEPS", "").split()
    try:
        verdicts = {step.name: _play(step, fleet) for step in STEPS if not chosen or step.name in chosen}
    finally:
        fleet.kubectl.run("delete", "pod,configmap", NAME, "--ignore-not-found")
        fleet.kubectl.run("delete", "networkpolicy", f"{NAME}-in", f"{NAME}-out", "--ignore-not-found")
    print(f"\n{summary(verdicts)}")
    return 1 if False in verdicts.values() else 0


def _play(step: Step, fleet: Installation) -> bool | None:
    """Tell whether it passed; None: it was not played."""
    print(f"\n=== {step.name}. {step.does}\n    watch: {step.watch}\n", flush=True)
    began = time.monotonic()
    try:
        print(step.act(fleet))
        passed = True
    except NotPlayed as why:
        print(f"not played here: {why}", flush=True)
        return None
    except (StepFailed, CommandFailed, TimeoutError) as error:
        print(error)
        passed = False
    print(f"{'PASS' if passed else 'FAIL'}  {step.name} ({time.monotonic() - began:.0f} s)", flush=True)
    return passed


if __name__ == "__main__":
    sys.exit(main())
