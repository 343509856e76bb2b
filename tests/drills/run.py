"""Makes alerts fire on a real fleet with a real Prometheus: `make drill ALERT=MediaflowNoConsumers`; all without ALERT.

The alerts are the chart's own with short times. A drill has held when its alerts fire and, once what made them fire is
undone, end. Exit codes: 0 all held · 1 one did not · 2 there is no such drill.
"""

import signal
import sys
import tempfile
import time
from pathlib import Path

from mediaflow_drills.drills import DRILLS, Drill
from mediaflow_drills.stage import Stage, until_firing

#: What drills leave behind in the queues of slow and failing channels.
_LEFT = ("media.transcode", "media.transcode.dlq", "media.subtitle.dlq")

_FIRES_WITHIN_S = 90.0
#: The broker tries to dead-letter what is stuck each 180 s.
_ENDS_WITHIN_S = 240.0


def main(wanted: list[str]) -> int:
    """Play the drills of the alerts that are named, or all."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # what was started is ended then too
    known = {alert for each in DRILLS for alert in each.alerts}
    if unknown := sorted(set(wanted) - known):
        sys.stderr.write(f"no drill makes {', '.join(unknown)} fire here; there are {', '.join(sorted(known))}\n")
        return 2
    chosen = [each for each in DRILLS if not wanted or set(wanted) & set(each.alerts)]
    failed = 0
    with tempfile.TemporaryDirectory(prefix="mediaflow-drills-") as folder:
        for outbox in (True, False):
            drills = [each for each in chosen if each.outbox is outbox]
            if not drills:
                continue
            stage = Stage(Path(folder) / f"outbox-{outbox}", outbox=outbox)
            try:
                failed += sum(not _play(stage, each, wanted) for each in drills)
            finally:
                stage.end()
    return 1 if failed else 0


def _play(stage: Stage, drill: Drill, wanted: list[str]) -> bool:
    alerts = [alert for alert in drill.alerts if not wanted or alert in wanted]
    print(drill.said, flush=True)
    try:
        _until_over(stage, alerts)  # an alert that is there before the harm proves nothing
        with drill.play(stage) as again:
            for alert in alerts:
                print(f"  {alert} fires after {until_firing(stage, alert, again, _FIRES_WITHIN_S):.0f} s", flush=True)
        stage.purge(*_LEFT)
        print(f"  over {_until_over(stage, alerts):.0f} s after the end", flush=True)
    except Exception as error:  # the next drill is played whatever this one ran into
        print(f"  FAIL: {type(error).__name__}: {error}", flush=True)
        return False
    return True


def _until_over(stage: Stage, alerts: list[str]) -> float:
    """Wait until none of the alerts fires; gives the seconds. Raises TimeoutError."""
    begun = time.monotonic()
    while left := stage.prometheus.firing() & set(alerts):
        if time.monotonic() - begun > _ENDS_WITHIN_S:
            raise TimeoutError(f"{', '.join(sorted(left))} fires still after {_ENDS_WITHIN_S:g} s")
        time.sleep(1)
    return time.monotonic() - begun


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
