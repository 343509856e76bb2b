"""helm, kubectl and Kubernetes' schemas, where scripts/kube_tools put them."""

import shutil
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SCHEMAS = ROOT / ".cache" / "kubernetes-schemas.whl"


def kube_tool(name: str) -> Path:
    """Give the program; fails the test where there is none."""
    here = ROOT / ".cache" / "bin" / name
    found = here if here.exists() else shutil.which(name)
    assert found, f"the tests need {name}: scripts/kube_tools gets it"
    return Path(found)
