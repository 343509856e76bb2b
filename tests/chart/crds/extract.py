"""Makes the files beside it anew: `python tests/chart/crds/extract.py`. Needs Go, which fetches the projects' modules.

Each file is a CustomResourceDefinition as its project publishes it, less the descriptions, which are nine tenths of it.
The folder names project and version; a version that is gone from SOURCES leaves a folder to remove by hand.
"""

import json
import subprocess
from pathlib import Path
from typing import Any

import yaml

#: Folder: Go module, version, licence, and the files in it.
SOURCES = {
    # The oldest one that the chart is for, and the one its figures are from.
    "keda-2.16.1": (
        "github.com/kedacore/keda/v2@v2.16.1",
        "Apache-2.0",
        ["config/crd/bases/keda.sh_scaledobjects.yaml", "config/crd/bases/keda.sh_triggerauthentications.yaml"],
    ),
    "keda-2.20.2": (
        "github.com/kedacore/keda/v2@v2.20.2",
        "Apache-2.0",
        ["config/crd/bases/keda.sh_scaledobjects.yaml", "config/crd/bases/keda.sh_triggerauthentications.yaml"],
    ),
    "cluster-operator-2.16.0": (
        "github.com/rabbitmq/cluster-operator/v2@v2.16.0",
        "MPL-2.0",
        ["config/crd/bases/rabbitmq.com_rabbitmqclusters.yaml"],
    ),
    "prometheus-operator-0.85.0": (
        "github.com/prometheus-operator/prometheus-operator@v0.85.0",
        "Apache-2.0",
        [
            f"example/prometheus-operator-crd/monitoring.coreos.com_{kind}.yaml"
            for kind in ("servicemonitors", "podmonitors", "prometheusrules")
        ],
    ),
}


def without_descriptions(schema: Any) -> Any:
    """Leave out what is for people. A field that happens to be called description is a schema, no string."""
    if isinstance(schema, dict):
        kept = {key: value for key, value in schema.items() if not (key == "description" and isinstance(value, str))}
        return {key: without_descriptions(value) for key, value in kept.items()}
    if isinstance(schema, list):
        return [without_descriptions(each) for each in schema]
    return schema


def main() -> None:
    here = Path(__file__).parent
    for folder, (module, licence, files) in SOURCES.items():
        done = subprocess.run(["go", "mod", "download", "-json", module], capture_output=True, text=True, check=True)
        root = Path(json.loads(done.stdout)["Dir"])
        (here / folder).mkdir(exist_ok=True)
        for file in files:
            crd = without_descriptions(yaml.safe_load((root / file).read_text()))
            crd["metadata"]["annotations"] = {"source": f"{module} {file}, {licence}, without descriptions"}
            name = crd["spec"]["names"]["plural"]
            # The definition of clusters repeats the whole of a pod: indented, it would be 5,000 lines.
            (here / folder / f"{name}.json").write_text(json.dumps(crd, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()
