"""The programs that the run needs: on the PATH, or where `make` puts its own."""

import shutil
from dataclasses import dataclass
from pathlib import Path

from mediaflow_k8s.parameters import ROOT, Missing

#: Where scripts/kube_tools puts helm and kubectl on machines that have none.
_OWN = ROOT / ".cache" / "bin"

_SOURCES = {
    "kubectl": "https://kubernetes.io/docs/tasks/tools/",
    "helm": "https://helm.sh/docs/intro/install/",
}


@dataclass(frozen=True, slots=True)
class Tools:
    """Where they are."""

    kubectl: Path
    helm: Path


def find_tools() -> Tools:
    """Find them. Raises Missing, which says where to get what is missing."""
    return Tools(_find("kubectl"), _find("helm"))


def _find(name: str) -> Path:
    found = shutil.which(name) or shutil.which(name, path=str(_OWN))
    if found is None:
        raise Missing(f"{name} is neither on the PATH nor in .cache/bin: {_SOURCES[name]} says how to install it.")
    return Path(found)
