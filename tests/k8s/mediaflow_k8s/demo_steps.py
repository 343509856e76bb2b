"""The scenarios as steps on a cluster. Each says what it does, what to watch, and whether it went as it must."""

import json
import secrets
import time
from collections.abc import Mapping

from mediaflow_k8s.demo_monitoring import monitored
from mediaflow_k8s.installation import Installation
from mediaflow_k8s.kubectl import until
from mediaflow_k8s.own_values import CHANNELS
from mediaflow_k8s.pod_faults import and_whole_again, await_ready, crashed
from mediaflow_k8s.scaling_watch import scaling_watched
from mediaflow_k8s.step import NotPlayed, Step, burst, expect
from mediaflow_k8s.tables import aligned, depth_table, scaling_table
from mediaflow_k8s.timeline import faults_of_burst
from mq_common.simulation import fails

_DEAD = "media.subtitle.dlq"
#: Assets of which some fail: a tenth does.
_SOME = 60


def one_upload(fleet: Installation) -> str:
    """Scenario 1."""
    asset = f"demo-{secrets.token_hex(3)}"
    while fails("subtitle", asset, 0.1):
        asset = f"demo-{secrets.token_hex(3)}"
    answer = fleet.door.upload(asset)
    expect(answer["status"] == 202, f"the upload was answered {answer['status']}: {answer['body']}")
    states = fleet.door.await_asset(asset, 120)
    expect(set(states.values()) == {"done"}, f"{asset}: {states}")
    return aligned([("channel", "asset", "state"), *((channel, asset, states[channel]) for channel in CHANNELS)])


def burst_and_keda(fleet: Installation) -> str:
    """Scenario 2."""
    fewest, most = _bounds(fleet)
    fleet.await_workers("transcode", fewest, 300)
    fleet.await_drained(120)
    before, deadline = fleet.redeliveries(), time.monotonic() + fleet.parameters.limit(600)
    shown = ""
    with scaling_watched(fleet, "transcode") as watch:
        sent = burst(fleet, fleet.parameters.burst)
        while True:
            now = watch.look()
            # To the most or not: a burst that is over without it has failed, and is not waited for.
            risen = any(moment.wanted > fewest for moment in watch.moments)
            if risen and now.messages and not shown:
                shown = depth_table(_depths(fleet))
            if risen and now.messages == 0 and (now.wanted, now.running) == (fewest, fewest):
                break
            expect(time.monotonic() < deadline, f"it took too long\n{scaling_table(watch.moments)}")
            time.sleep(2.0)
    shown += f"\n\n{scaling_table(watch.moments)}"
    faults = faults_of_burst(watch.moments, fewest, most)
    expect(not faults, f"{'; '.join(faults)}\n{shown}")
    again = fleet.redeliveries()["transcode"] - before["transcode"]
    expect(not again, f"the broker delivered {again} messages again because of scaling")
    _account(fleet, sent, fleet.parameters.burst)
    return f"{shown}\n\nredelivered because of scaling: 0"


def flaky_provider(fleet: Installation) -> str:
    """Scenario 3."""
    fleet.await_drained(300)
    if not _depths(fleet, dead=True)[_DEAD]["total"]:
        burst(fleet, _SOME)
        fleet.await_drained(300)
    letters = fleet.console.dead_letters("subtitle")
    depths = {f"media.{channel}.dlq": _depths(fleet, dead=True)[f"media.{channel}.dlq"] for channel in CHANNELS}
    expect(depths[_DEAD]["total"] > 0, "no dead letter in subtitle")
    others = [name for name, depth in depths.items() if name != _DEAD and depth["total"]]
    expect(not others, f"dead letters in {', '.join(others)} too")
    groups = [("reason", "error", "letters")]
    groups += [(each["reason"], each["error"], str(each["count"])) for each in letters["groups"]]
    expect({each[0] for each in groups[1:]} == {"rejected"}, f"other reasons than rejected: {groups[1:]}")
    return f"{depth_table(depths)}\n\n{aligned(groups)}"


def killed_workers(fleet: Installation) -> str:
    """Scenario 4, as it is on a cluster: workers are killed, and what they held is done by others."""
    before, count = fleet.redeliveries(), max(40, fleet.parameters.burst // 4)
    sent, said = burst(fleet, count), []
    # The slow one first, while it is busy for certain.
    for channel in ("transcode", "thumbnail", "subtitle"):
        kill, await_back = and_whole_again(fleet, crashed, channel)
        said += [kill(), await_back()]
    expect(fleet.await_drained(300), f"not done: {fleet.depths()}")
    _account(fleet, sent, count)
    again = {channel: after - before[channel] for channel, after in fleet.redeliveries().items()}
    expect(again["transcode"] > 0, f"the worker of transcode held something, and nothing came again: {again}")
    told = ", ".join(f"{channel} {number}" for channel, number in again.items())
    return "\n".join(
        [*said, f"delivered again: {told}", f"each of {count} assets is done, or a dead letter of subtitle, once"]
    )


def requeue_storm(_: Installation) -> str:
    """Scenario 5."""
    raise NotPlayed("it takes a consumer that misbehaves on purpose; `make scenario N=5` plays it on this machine")


def broker_node(fleet: Installation) -> str:
    """A node of RabbitMQ goes while uploads come."""
    nodes, accepted = len(fleet.pods("rabbitmq")), []
    expect(nodes > 0, "RabbitMQ is not one of this release's pods")
    said = [crashed(fleet, "rabbitmq")()]
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        asset = f"node-{secrets.token_hex(4)}"
        answer = fleet.door.upload(asset)
        expect(answer["status"] == 202, f"an upload was answered {answer['status']}: {answer['body']}")
        accepted.append(asset)
    said += [f"{len(accepted)} uploads meanwhile, all accepted", await_ready(fleet, "rabbitmq", nodes, 300)()]
    expect(fleet.await_drained(300), f"not done: {fleet.depths()}")
    for asset in accepted:
        fleet.door.await_asset(asset, 60)
    return "\n".join([*said, f"all {len(accepted)} are done in each channel, or dead letters of subtitle"])


def replay_job(fleet: Installation) -> str:
    """Scenario 6."""
    (cron_job,) = fleet.kubectl.items("cronjobs", component="replayer", release=fleet.parameters.release)
    before, name = _depths(fleet, dead=True), f"demo-replay-{secrets.token_hex(3)}"
    expect(before[_DEAD]["total"] > 0, "there is no dead letter to replay")
    made = ("create", "job", name, f"--from=cronjob/{cron_job['metadata']['name']}", "--dry-run=client", "-o", "json")
    job = json.loads(fleet.kubectl.run(*made))
    job["spec"]["template"]["spec"]["containers"][0]["args"] = ["--channel", "subtitle", "--limit", "5"]
    fleet.kubectl.run("create", "-f", "-", stdin=json.dumps(job))
    limit_s = fleet.parameters.limit(120)
    words = ("wait", "--for=condition=Complete", f"job/{name}", f"--timeout={limit_s:.0f}s")
    fleet.kubectl.run(*words, limit_s=limit_s + 10)
    log = fleet.kubectl.run("logs", f"job/{name}").strip()
    expect("moved to media.subtitle" in log, f"the replayer said: {log}")
    expect(fleet.await_drained(120), f"not done: {fleet.depths()}")
    return f"$ kubectl create job {name} --from=cronjob/{cron_job['metadata']['name']}  (args: subtitle, 5)\n{log}"


def paused(fleet: Installation) -> str:
    """Scenario 7."""
    fleet.console.pause()
    try:
        for channel in CHANNELS:
            fleet.await_workers(channel, 0, 300)
        count = max(60, fleet.parameters.burst // 2)
        sent = burst(fleet, count)
        until(lambda: all(fleet.depths()[channel] >= count for channel in CHANNELS), "what waits", 60)
        shown = depth_table(_depths(fleet))
    finally:
        fleet.console.resume()
    expect(fleet.await_drained(600), f"not done: {fleet.depths()}")
    _account(fleet, sent, count)
    return f"paused:\n{shown}\n\nresumed: all {count} are done, or dead letters of subtitle"


def scaled_by_hand(fleet: Installation) -> str:
    """kubectl scale; KEDA, where it is, is told to leave the channel alone meanwhile."""
    name, before = fleet.workers("thumbnail")["metadata"]["name"], fleet.workers("thumbnail")["spec"]["replicas"]
    said = [f"$ kubectl scale deployment/{name} --replicas={before + 1}"]
    if fleet.has_keda:
        scaler = f"scaledobject/{fleet.scaled_object('thumbnail')['metadata']['name']}"
        said.insert(0, f"$ kubectl annotate {scaler} autoscaling.keda.sh/paused=true")
        fleet.kubectl.run("annotate", scaler, "autoscaling.keda.sh/paused=true", "--overwrite")
    try:
        fleet.kubectl.run("scale", f"deployment/{name}", f"--replicas={before + 1}")
        fleet.await_workers("thumbnail", before + 1, 180)
        said.append(f"{before + 1} workers are ready, and stay")
    finally:
        fleet.kubectl.run("scale", f"deployment/{name}", f"--replicas={before}")
        if fleet.has_keda:
            fleet.kubectl.run("annotate", scaler, "autoscaling.keda.sh/paused-")
    return "\n".join(said)


STEPS = (
    Step("1", "one upload, published once", "three channels, each with its own result", one_upload),
    Step(
        "2",
        "a burst; the slow provider swells its queue",
        "transcode waits when the others are nearly done, and KEDA gives it workers",
        burst_and_keda,
    ),
    Step("3", "the flaky provider", "retries, then subtitle's own dead-letter queue, with the reason", flaky_provider),
    Step(
        "4",
        "kill a worker of each channel in the middle of a burst",
        "what they held comes again, once",
        killed_workers,
    ),
    Step("5", "a requeue storm", "why a failure is never put back into its queue", requeue_storm),
    Step(
        "6",
        "replay five dead letters with a Job",
        "one queue gets them, the other channels don't work again",
        replay_job,
    ),
    Step("7", "pause the workers and go on uploading", "queues fill, nobody is refused, then all is done", paused),
    Step("8", "kill a node of RabbitMQ while uploads come", "no upload is refused and none is lost", broker_node),
    Step("9", "scale by hand with kubectl", "the number stays what it was set to", scaled_by_hand),
    Step("10", "ask the cluster's Prometheus", "nothing of the fleet is unread, no rule and no panel empty", monitored),
)


def _bounds(fleet: Installation) -> tuple[int, int]:
    expect(fleet.has_keda, "NOT CHECKED: the cluster has no KEDA")
    spec = fleet.scaled_object("transcode")["spec"]
    return int(spec["minReplicaCount"]), int(spec["maxReplicaCount"])


def _depths(fleet: Installation, *, dead: bool = False) -> Mapping[str, dict[str, int]]:
    queues = fleet.client.ask("traffic")["queues"]
    end = ".dlq" if dead else ""
    return {f"media.{channel}{end}": queues[f"media.{channel}{end}"] for channel in CHANNELS}


def _account(fleet: Installation, sent: str, count: int) -> None:
    """Every asset is done in each channel, or a dead letter of the one whose provider fails."""
    found = fleet.client.ask("ends", prefix=f"{sent}-", channels=list(CHANNELS))
    for channel in CHANNELS:
        done, failed = found[channel]["done"], found[channel]["failed"]
        expect(done + failed == count, f"{channel}: {done} done and {failed} given up, of {count}")
        expect(channel == "subtitle" or not failed, f"{channel}: {failed} given up, although its provider never fails")
