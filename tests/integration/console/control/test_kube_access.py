"""The console's Role: enough for everything it does, and each verb of it needed by something."""

import pytest

from console.control.fleet_control import ControlUnavailable, ReplayRequest, WorkerReading
from console.control.kube_access import RULES, role_rules
from kube_objects import add_cron_job, add_deployment, add_pod, add_scaled_object, running

VERBS = [(rule, verb) for rule in RULES for verb in rule.verbs]


def everything(cluster, control):
    """Do all that the console can do."""
    control.fleet()
    control.learn({"transcode-busy": WorkerReading(oldest_job_s=60)})
    control.pause(None)
    control.resume(None)
    control.scale("transcode", 3)
    run = control.start_replay(ReplayRequest("transcode"))
    job = {"job-name": run.id}
    add_pod(cluster, f"{run.id}-x", "replayer", "transcode", running(container="replayer"), **job)
    control.replays()
    control.stop_replay(run.id)


@pytest.fixture
def release(bare):
    add_deployment(bare, "transcode")
    add_scaled_object(bare, "transcode")
    add_deployment(bare, "thumbnail")
    add_cron_job(bare)
    add_pod(bare, "transcode-busy", "worker", "transcode", running())
    return bare


def test_the_role_is_enough(release, make_control):
    release.allow(role_rules())
    everything(release, make_control())


@pytest.mark.parametrize(("rule", "verb"), VERBS, ids=[f"{verb} {rule.resource}" for rule, verb in VERBS])
def test_each_verb_is_needed_and_named_when_it_is_missing(release, make_control, rule, verb):
    less = role_rules()
    less[RULES.index(rule)]["verbs"].remove(verb)
    release.allow(less)
    with pytest.raises(ControlUnavailable) as refused:
        everything(release, make_control())
    group = rule.group or '""'
    assert f"Its Role needs the verb {verb!r} on {rule.resource} of API group {group}." in str(refused.value)
