"""Makes alerts fire on a real fleet with a real Prometheus: `make drill ALERT=MediaflowNoConsumers`.

Without ALERT all are played that need no cluster. The others are played when they are named, on the cluster that
KUBECONFIG names, by a release in a namespace of its own. The alerts are the chart's own with short times. A drill
has held when its alerts fire and, once what made them fire is undone, end. Exit codes: 0 all held · 1 one did not ·
2 there is no such drill, or not what it needs.
"""

import os
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

_TESTS = Path(__file__).resolve().parents[1]
sys.path.append(str(_TESTS / "k8s"))

import mediaflow_drills.cluster_drills  # noqa: E402, F401 - enters its drills
from mediaflow_drills.cluster_stage import ClusterStage, find_cluster  # noqa: E402
from mediaflow_drills.drills import DRILLS, Drill  # noqa: E402
from mediaflow_drills.stage import Stage, until_firing  # noqa: E402
from mediaflow_k8s.parameters import Missing  # noqa: E402

_FIRES_WITHIN_S = 90.0
#: The broker tries to dead-letter what is stuck each 180 s.
_ENDS_WITHIN_S = 240.0

_STAGES: dict[str, Callable[[Path], Any]] = {
    "fleet": lambda folder: Stage(folder, outbox=True),
    "fleet without outbox": lambda folder: Stage(folder, outbox=False),
}


def main(wanted: list[str]) -> int:
    """Play the drills of the alerts that are named, or all that need no cluster."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # what was started is ended then too
    known = {alert for each in DRILLS for alert in each.alerts}
    if unknown := sorted(set(wanted) - known):
        sys.stderr.write(f"no drill makes {', '.join(unknown)} fire here; there are {', '.join(sorted(known))}\n")
        return 2
    chosen = [each for each in DRILLS if set(wanted) & set(each.alerts) or (not wanted and each.stage in _STAGES)]
    stages = dict(_STAGES)
    if cluster := [alert for each in chosen if each.stage not in _STAGES for alert in each.alerts]:
        try:
            fleet = find_cluster(os.environ)
        except Missing as missing:
            sys.stderr.write(f"{', '.join(cluster)}: this drill needs a cluster. {missing}\n")
            return 2
        stages["cluster"] = lambda folder: ClusterStage(folder, fleet)
    failed = 0
    with tempfile.TemporaryDirectory(prefix="mediaflow-drills-") as folder:
        for name, open_stage in stages.items():
            if drills := [each for each in chosen if each.stage == name]:
                failed += _played(open_stage(Path(folder) / name.replace(" ", "-")), drills, wanted)
    if not wanted and (others := [alert for each in DRILLS if each.stage not in stages for alert in each.alerts]):
        print(f"not played, for they need a cluster (KUBECONFIG=… make drill ALERT=…): {', '.join(others)}")
    return 1 if failed else 0


def _played(stage: Any, drills: list[Drill], wanted: list[str]) -> int:
    """Play them on one stage and end it; gives how many did not hold."""
    try:
        return sum(not _play(stage, each, wanted) for each in drills)
    finally:
        stage.end()


def _play(stage: Any, drill: Drill, wanted: list[str]) -> bool:
    alerts = [alert for alert in drill.alerts if not wanted or alert in wanted]
    print(drill.said, flush=True)
    try:
        _until_over(stage, alerts)  # an alert that is there before the harm proves nothing
        with drill.play(stage) as again:
            for alert in alerts:
                print(f"  {alert} fires after {until_firing(stage, alert, again, _FIRES_WITHIN_S):.0f} s", flush=True)
        stage.tidy()
        print(f"  over {_until_over(stage, alerts):.0f} s after the end", flush=True)
    except Exception as error:  # the next drill is played whatever this one ran into
        print(f"  FAIL: {type(error).__name__}: {error}", flush=True)
        return False
    return True


def _until_over(stage: Any, alerts: list[str]) -> float:
    """Wait until none of the alerts fires; gives the seconds. Raises TimeoutError."""
    begun = time.monotonic()
    while left := stage.prometheus.firing() & set(alerts):
        if time.monotonic() - begun > _ENDS_WITHIN_S:
            raise TimeoutError(f"{', '.join(sorted(left))} fires still after {_ENDS_WITHIN_S:g} s")
        time.sleep(1)
    return time.monotonic() - begun


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
