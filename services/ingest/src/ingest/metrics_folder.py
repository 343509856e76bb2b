"""The folder in which prometheus_client keeps the numbers of all worker processes, so that one scrape sees them all.

It has to be named before prometheus_client is imported, which is why this module imports nothing of ours.
"""

import os
import shutil
import tempfile
from pathlib import Path

#: prometheus_client looks at this variable when it is imported, and never again.
VARIABLE = "PROMETHEUS_MULTIPROC_DIR"


def prepare_metrics_folder() -> None:
    """Name a fresh folder; counters start from zero with the process, as Prometheus expects."""
    given = os.environ.get(VARIABLE)
    if not given:
        os.environ[VARIABLE] = tempfile.mkdtemp(prefix="mediaflow-ingest-metrics-")
        return
    Path(given).mkdir(parents=True, exist_ok=True)
    for stale in Path(given).glob("*.db"):
        stale.unlink()


def remove_metrics_folder() -> None:
    """Remove the folder; for the process that made it, when it ends."""
    shutil.rmtree(os.environ[VARIABLE], ignore_errors=True)
