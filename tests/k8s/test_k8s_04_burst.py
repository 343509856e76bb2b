"""A burst, and KEDA behind it: up to the most workers, down to the fewest, and no job paid for it."""

import json
import time

from mediaflow_k8s.installation import Installation
from mediaflow_k8s.kubectl import CommandFailed
from mediaflow_k8s.scaling_watch import scaling_watched
from mediaflow_k8s.tables import scaling_table
from mediaflow_k8s.timeline import faults_of_burst

_LOOK_EVERY_S = 2.0
#: Seconds for all of it: two seconds a job, pods that start, KEDA's calm, workers that finish what they hold.
_LIMIT_S = 420.0


def test_a_burst_takes_transcode_to_its_most_workers_and_back_and_no_job_is_delivered_twice(keda: Installation) -> None:
    parameters = keda.parameters
    keda.await_workers("transcode", parameters.fewest)
    keda.await_drained(60)
    before = keda.redeliveries()

    with scaling_watched(keda, "transcode") as watch:
        answer = keda.door.burst(parameters.burst)
        assert answer["status"] == 202, answer
        deadline = time.monotonic() + parameters.limit(_LIMIT_S)
        while not _is_over(watch.look(), parameters.fewest, parameters.most, watch.moments):
            assert time.monotonic() < deadline, f"not over in time\n{scaling_table(watch.moments)}"
            time.sleep(_LOOK_EVERY_S)
    print(scaling_table(watch.moments))

    assert faults_of_burst(watch.moments, parameters.fewest, parameters.most) == []
    assert keda.await_drained(120), keda.depths()
    after = keda.redeliveries()
    for channel in ("transcode", "thumbnail"):  # subtitle's may have been waiting for their next try
        assert after[channel] == before[channel], f"the broker delivered messages of {channel} again"
    _every_asset_was_begun_once(keda, json.loads(answer["body"])["burstId"])


def _is_over(now, fewest, most, moments) -> bool:
    risen = any(moment.wanted == most for moment in moments)
    return risen and now.messages == 0 and (now.wanted, now.running) == (fewest, fewest)


def _every_asset_was_begun_once(keda: Installation, burst: str) -> None:
    """By what the workers themselves wrote down."""
    count = keda.parameters.burst
    try:
        seen = keda.client.ask("observed", prefix=f"{burst}-", channel="transcode")["lines"]
    except CommandFailed as error:
        raise AssertionError(f"what the workers saw can't be read: {error}") from None
    begun = [line["asset"] for line in seen if line["what"] == "delivered"]
    committed = [line["asset"] for line in seen if line["what"] == "committed"]
    assert len(begun) == len(set(begun)) == count
    assert len(committed) == len(set(committed)) == count
