"""Replays as Jobs: made from the suspended CronJob, followed by their log, stopped, and one for each channel."""

import json
import threading

import pytest

from console.control.fleet_control import (
    ControlRefused,
    ControlUnavailable,
    ReplayRequest,
    UnknownChannel,
    UnknownReplay,
)
from kube_objects import (
    add_cron_job,
    add_deployment,
    add_pod,
    collect_job,
    end_job,
    ended,
    running,
    set_pod_status,
    waiting,
)

REQUEST = ReplayRequest("subtitle", event_ids=("one",), rate=50.0, asked_by="Ada")


def line(state, moved=0, **more):
    said = {"state": state, "seen": moved, "moved": moved, "left": 10 - moved, "total": 10, "message": ""} | more
    return json.dumps(said)


@pytest.fixture
def release(cluster):
    add_deployment(cluster, "subtitle")
    add_deployment(cluster, "transcode")
    add_cron_job(cluster)
    return cluster


def jobs(cluster):
    return cluster.ask("GET", cluster.path("batch", "jobs"))["items"]


def start_pod(cluster, run, status):
    """What the Job controller does, and the kubelet after it."""
    add_pod(cluster, f"{run.id}-x", "replayer", "subtitle", status, **{"job-name": run.id})


def test_the_job_is_the_cron_jobs_with_the_replayers_options(release, make_control):
    run = make_control().start_replay(REQUEST)

    assert (run.state, run.request) == ("waiting", REQUEST)
    (job,) = jobs(release)
    pod = job["spec"]["template"]["spec"]
    container = pod["containers"][0]
    assert container["args"] == ["--channel=subtitle", "--progress=json", "--rate=50/s", "--event=one"]
    assert container["env"] == [{"name": "AMQP_URL", "value": "amqp://x"}]
    assert (pod["restartPolicy"], job["spec"]["backoffLimit"]) == ("Never", 0)
    assert job["spec"]["ttlSecondsAfterFinished"] == 86400
    assert job["metadata"]["labels"]["team"] == "media"
    assert job["metadata"]["ownerReferences"][0]["name"] == "films-replayer"


def test_a_replay_is_followed_by_its_log_to_its_end(release, make_control):
    control = make_control()
    run = control.start_replay(REQUEST)
    start_pod(release, run, waiting("ContainerCreating", container="replayer"))
    assert (control.replay(run.id).state, control.replay(run.id).message) == ("waiting", "")

    set_pod_status(release, f"{run.id}-x", running(container="replayer"))
    release.logs[f"{run.id}-x"] = f"a warning\n{line('running', 2)}\n{line('running', 4)}\nhalf a li"
    seen = control.replay(run.id)
    assert (seen.state, seen.moved, seen.left, seen.total) == ("running", 4, 6, 10)

    release.logs[f"{run.id}-x"] += f"ne\n{line('done', 10, summary={'moved': 10})}\n"
    set_pod_status(release, f"{run.id}-x", ended(0, container="replayer"))
    end_job(release, run.id, "Complete")
    over = control.replay(run.id)
    assert (over.state, over.moved, over.summary) == ("done", 10, {"moved": 10})
    assert over.ended_at > over.started_at

    release.logs.clear()  # the pod is gone some day; what is known is known
    assert control.replay(run.id) == over
    assert make_control().replay(run.id).state == "done"  # another console, without the log


def test_a_replay_that_cannot_start_says_why(release, make_control):
    control = make_control()
    run = control.start_replay(REQUEST)
    start_pod(release, run, waiting("ImagePullBackOff", "no such image", container="replayer"))
    assert control.replay(run.id).message == "ImagePullBackOff: no such image"


def test_a_replay_that_fails_says_how(release, make_control):
    control = make_control()
    run = control.start_replay(REQUEST)
    start_pod(release, run, ended(137, container="replayer", reason="OOMKilled"))
    release.logs[f"{run.id}-x"] = f"{line('running', 3)}\n"
    end_job(release, run.id, "Failed")
    over = control.replay(run.id)
    assert (over.state, over.moved, over.message) == ("failed", 3, "exit code 137 (OOMKilled)")


def test_stopping_deletes_the_job_after_its_pod_and_its_last_words_are_kept(release, make_control):
    control = make_control()
    run = control.start_replay(REQUEST)
    start_pod(release, run, running(container="replayer"))
    release.logs[f"{run.id}-x"] = f"{line('running', 3)}\n"

    control.stop_replay(run.id)
    (job,) = jobs(release)
    assert job["metadata"]["finalizers"] == ["foregroundDeletion"]  # SIGTERM comes first, then the pod goes, then it
    assert control.replay(run.id).state == "stopping"
    control.stop_replay(run.id)
    release.logs[f"{run.id}-x"] = f"{line('stopped', 4, summary={'moved': 4})}\n"
    assert control.replay(run.id).moved == 4

    collect_job(release, run.id)
    assert jobs(release) == []
    over = control.replay(run.id)
    assert (over.state, over.moved, over.summary) == ("stopped", 4, {"moved": 4})
    control.stop_replay(run.id)
    with pytest.raises(UnknownReplay):
        make_control().replay(run.id)


def test_of_two_operators_who_replay_a_channel_at_once_one_is_refused(release, make_control):
    started, refused = [], []
    consoles = [make_control() for _ in range(4)]

    def ask(control):
        try:
            started.append(control.start_replay(REQUEST))
        except ControlRefused as error:
            refused.append(str(error))

    threads = [threading.Thread(target=ask, args=(control,)) for control in consoles]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert (len(started), len(refused), len(jobs(release))) == (1, 3, 1)

    with pytest.raises(ControlRefused, match=f"A replay of subtitle runs \\({started[0].id}\\)"):
        consoles[0].start_replay(REQUEST)
    other = consoles[0].start_replay(ReplayRequest("transcode"))
    end_job(release, started[0].id, "Complete")
    again = consoles[0].start_replay(REQUEST)
    assert {run.id for run in consoles[1].replays()} == {started[0].id, other.id, again.id}


def test_a_release_without_a_replayer_says_so(cluster, make_control):
    add_deployment(cluster, "subtitle")
    with pytest.raises(ControlUnavailable, match="no CronJob in namespace"):
        make_control().start_replay(REQUEST)
    with pytest.raises(UnknownChannel):
        make_control().start_replay(ReplayRequest("poster"))
    with pytest.raises(UnknownReplay):
        make_control().stop_replay("none")
