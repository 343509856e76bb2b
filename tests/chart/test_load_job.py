"""The Job that loads the front door: refused where it could only fail, and one for each load."""

import sys
from pathlib import Path
from unittest import mock

import pytest

from rendered_chart import Json, Rendering, at, merged, named, the

sys.path.insert(0, str(Path(__file__).parents[1] / "load"))

from mediaflow_load.settings import LoadSettings, read_settings

WANTED = merged(at("load.enabled", True), at("ingest.allowSimulated", True))


def load_jobs(rendering: Rendering) -> list[Json]:
    return [each for each in named(rendering.objects(), "Job") if "-load-" in each["metadata"]["name"]]


def job(*more: Json) -> Json:
    (found,) = load_jobs(Rendering(merged(WANTED, *more)))
    return found


def environment(*more: Json) -> dict[str, str]:
    (container,) = job(*more)["spec"]["template"]["spec"]["containers"]
    return {each["name"]: each["value"] for each in container["env"]}


def settings(*more: Json) -> LoadSettings:
    variables = environment(*more)
    variables.pop("MEDIAFLOW_LOAD_CLIPS", None)  # there only in the pod
    with mock.patch.dict("os.environ", variables, clear=True):
        return read_settings()


def test_a_front_door_without_simulation_is_refused_with_the_way_out() -> None:
    said = Rendering(at("load.enabled", True)).refusal()
    assert "Set ingest.allowSimulated=true" in said
    assert "load.clips.existingClaim" in said


@pytest.mark.parametrize(
    "values", [at("load.clips.existingClaim", "films"), at("load.host", "https://media.example.com")]
)
def test_videos_and_other_front_doors_need_no_simulation(values: Json) -> None:
    assert load_jobs(Rendering(merged(at("load.enabled", True), values)))


def test_without_being_asked_nothing_is_loaded() -> None:
    assert not load_jobs(Rendering())


def test_the_articles_profile_goes_to_the_releases_own_front_door() -> None:
    taken = settings()
    assert (taken.rate, taken.requests, taken.ramp_s, taken.max_p95_ms) == (200, 23_539, 30, None)
    service = the(Rendering(WANTED).objects(), "Service", "-ingest")
    assert taken.host == f"http://{service['metadata']['name']}:{service['spec']['ports'][0]['port']}"


def test_what_is_said_in_values_is_what_the_program_reads() -> None:
    load = {
        "rate": 12.5,
        "requests": 1_500_000,
        "rampSeconds": 0,
        "users": 7,
        "retries": 0,
        "maxP95Milliseconds": 69.9,
        "maxFailures": 0.01,
        "lingerSeconds": 5,
        "startLimitSeconds": 9,
        "host": "https://media.example.com",
        "env": {"MEDIAFLOW_LOAD_PATIENCE_S": "3"},
    }
    taken = settings({"load": load})
    assert taken.model_dump(include={"rate", "requests", "ramp_s", "users", "retries"}) == {
        "rate": 12.5,
        "requests": 1_500_000,
        "ramp_s": 0,
        "users": 7,
        "retries": 0,
    }
    assert (taken.max_p95_ms, taken.max_failures, taken.linger_s) == (69.9, 0.01, 5)
    assert (taken.start_limit_s, taken.host, taken.patience_s) == (9, "https://media.example.com", 3)


def test_videos_come_from_a_claim_that_is_only_read() -> None:
    pod = job(at("load.clips.existingClaim", "films"))["spec"]["template"]["spec"]
    assert environment(at("load.clips.existingClaim", "films"))["MEDIAFLOW_LOAD_CLIPS"] == "/clips"
    assert {"name": "clips", "mountPath": "/clips", "readOnly": True} in pod["containers"][0]["volumeMounts"]
    assert {"name": "clips", "persistentVolumeClaim": {"claimName": "films", "readOnly": True}} in pod["volumes"]


#: A Job can't be changed: what differs in it has to be another one, or an upgrade fails.
@pytest.mark.parametrize(
    ("values", "another"),
    [
        (at("load.run", "2"), True),
        (at("load.run", 2), True),
        (at("load.rate", 20), True),
        (at("load.resources.requests.cpu", "1"), True),
        (at("image.tag", "0.2.0"), True),
        (at("commonLabels.team", "films"), True),
        (at("ingest.workers", 4), False),
        (at("console.password", "another-one"), False),
        (at("channels.transcode.jobTimeLimitSeconds", 60), False),
    ],
    ids=str,
)
def test_an_upgrade_makes_another_job_exactly_when_the_load_is_another(values: Json, another: bool) -> None:
    first, second = job(), job(values)
    assert (first["metadata"]["name"] != second["metadata"]["name"]) == another
    assert (first["spec"] != second["spec"]) == another


def test_its_pod_needs_no_rights_and_shows_its_metrics() -> None:
    pod = job()["spec"]["template"]["spec"]
    assert pod["automountServiceAccountToken"] is False
    assert pod["containers"][0]["ports"] == [{"name": "metrics", "containerPort": 9646}]
    assert pod["containers"][0]["securityContext"]["readOnlyRootFilesystem"] is True
