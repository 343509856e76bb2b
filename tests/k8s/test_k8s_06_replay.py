"""Dead letters back into their one queue: by a Job from the CronJob, and by the console."""

import json

import pytest
from mediaflow_k8s.installation import Installation
from mediaflow_k8s.kubectl import Json, until
from mediaflow_k8s.own_values import repaired_provider

#: Enough for some to fail: a tenth does.
_ASSETS = 60
_DEAD = "media.subtitle.dlq"


def _dead_letters(mediaflow: Installation) -> int:
    return int(mediaflow.client.ask("traffic")["queues"][_DEAD]["total"])


@pytest.fixture(scope="module")
def dead_letters(mediaflow: Installation) -> int:
    """Let the provider fail, and give how many dead letters there are."""
    assert mediaflow.door.burst(_ASSETS)["status"] == 202
    assert mediaflow.await_drained(180), mediaflow.depths()
    return until(lambda: _dead_letters(mediaflow), "dead letters", 60)  # type: ignore[no-any-return]


def _run_job(mediaflow: Installation, job: Json) -> str:
    """Run a Job to its end; gives its log."""
    kubectl, name = mediaflow.kubectl, f"job/{job['metadata']['name']}"
    kubectl.run("create", "-f", "-", stdin=json.dumps(job))
    limit_s = mediaflow.parameters.limit(180)
    kubectl.run("wait", "--for=condition=Complete", name, f"--timeout={limit_s:.0f}s", limit_s=limit_s + 10)
    return kubectl.run("logs", name)


def _job_of_cron_job(mediaflow: Installation, name: str) -> Json:
    (cron_job,) = mediaflow.kubectl.items("cronjobs", component="replayer")
    assert cron_job["spec"]["suspend"] is True
    words = ("create", "job", name, f"--from=cronjob/{cron_job['metadata']['name']}", "--dry-run=client", "-o", "json")
    job: Json = json.loads(mediaflow.kubectl.run(*words))
    return job


def test_a_job_from_the_cron_job_as_it_is_only_says_what_would_move(mediaflow: Installation, dead_letters: int) -> None:
    log = _run_job(mediaflow, _job_of_cron_job(mediaflow, "replay-dry"))

    assert "would move" in log, log
    assert _dead_letters(mediaflow) == dead_letters


def test_the_console_replays_them_and_what_still_fails_comes_back_marked(
    mediaflow: Installation, dead_letters: int
) -> None:
    location = mediaflow.console.replay("subtitle")
    limit_s = mediaflow.parameters.limit(180)
    run = until(lambda: (told := mediaflow.console.progress(location))["ended"] and told, "the replay's end", limit_s)

    assert (run["state"], run["moved"]) == ("done", dead_letters), run
    until(lambda: _dead_letters(mediaflow) == dead_letters, "dead letters again", limit_s)
    letters = mediaflow.console.dead_letters("subtitle")["letters"]
    assert {(each["replays"], each["reason"]) for each in letters} == {(1, "rejected")}, letters


def test_a_job_from_the_cron_job_moves_what_it_is_told_and_the_repaired_provider_does_it(
    mediaflow: Installation, dead_letters: int
) -> None:
    mediaflow.upgrade(repaired_provider())
    job = _job_of_cron_job(mediaflow, "replay-subtitle")
    job["spec"]["template"]["spec"]["containers"][0]["args"] = ["--channel", "subtitle"]

    log = _run_job(mediaflow, job)

    assert f"{dead_letters} of {dead_letters} moved" in log, log
    assert mediaflow.await_drained(120), mediaflow.depths()
    assert _dead_letters(mediaflow) == 0
