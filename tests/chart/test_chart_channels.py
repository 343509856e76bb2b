"""The channels file that the chart renders, and what one more entry in it brings."""

import tomllib
from importlib import resources
from pathlib import Path

import pytest
import yaml

from chart_combinations import BROKERS
from chart_objects import CHANNEL, pod_templates
from mq_common.channels import Profile, load_channels
from rendered_chart import CHART, KEDA, PROMETHEUS, Json, Rendering, at, merged, named, the

PROFILES: tuple[Profile, ...] = ("media", "simulated")

#: What a user writes to get one more channel.
PREVIEW: Json = {
    "channels": {
        "preview": {
            "deliveryLimit": 7,
            "jobTimeLimitSeconds": 90,
            "maxLength": 1000,
            "profiles": {
                profile: {
                    "prefetch": 2,
                    "concurrency": 1,
                    "retries": {"count": 1, "initialMs": 100, "multiplier": 1.5, "maxMs": 1000},
                    "workers": {"min": 0, "max": 3},
                    "messagesPerWorker": 9,
                    "simulated": {"latencyMs": 5, "failureRate": 0.25},
                }
                for profile in PROFILES
            },
            "resources": {"requests": {"cpu": "100m", "memory": "64Mi"}, "limits": {"memory": "128Mi"}},
        }
    }
}


def channels_file(objects: list[Json], folder: Path) -> Path:
    file = folder / "channels.toml"
    file.write_text(the(objects, "ConfigMap", "-channels")["data"]["channels.toml"])
    return file


@pytest.mark.parametrize("profile", PROFILES)
def test_the_chart_renders_the_packaged_channels(tmp_path: Path, profile: Profile) -> None:
    file = channels_file(Rendering({"profile": profile}).objects(), tmp_path)

    assert load_channels(file, profile) == load_channels(profile=profile)


def test_the_chart_renders_nothing_that_the_packaged_file_does_not_have(tmp_path: Path) -> None:
    """Also what no profile of ours reads, and channels that are in one of the two alone."""
    packaged = tomllib.loads(resources.files("mq_common").joinpath("channels.toml").read_text("utf-8"))

    assert tomllib.loads(channels_file(Rendering().objects(), tmp_path).read_text()) == packaged


def test_a_changed_number_is_seen_by_the_comparison(tmp_path: Path) -> None:
    changed = at("channels.subtitle.profiles.media.retries.maxMs", 10001)
    file = channels_file(Rendering(changed).objects(), tmp_path)

    assert load_channels(file) != load_channels()


@pytest.mark.parametrize("profile", PROFILES)
def test_numbers_in_the_file_are_the_users_to_the_last_digit(tmp_path: Path, profile: Profile) -> None:
    work = {
        "retries": {"count": 0, "initialMs": 0, "multiplier": 1.25, "maxMs": 86400000},
        "simulated": {"latencyMs": 0, "failureRate": 0.0125},
    }
    values = {
        "channels": {"subtitle": {"jobTimeLimitSeconds": 1000000, "profiles": {profile: work}}},
        "rabbitmq": {"consumerTimeoutSeconds": 2000000},
    }
    spec = load_channels(channels_file(Rendering(values).objects(), tmp_path), profile)["subtitle"]

    assert spec.job_time_limit_s == 1000000
    assert spec.retries.model_dump() == {"count": 0, "initial_ms": 0, "multiplier": 1.25, "max_ms": 86400000}
    assert spec.simulated.failure_rate == 0.0125


def test_a_channel_can_be_left_out(tmp_path: Path) -> None:
    objects = Rendering({"channels": {"subtitle": None}}, apis=KEDA).objects()

    assert set(load_channels(channels_file(objects, tmp_path))) == {"thumbnail", "transcode"}
    assert not [each for each in objects if each["metadata"]["labels"].get(CHANNEL) == "subtitle"]


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("broker", BROKERS)
def test_one_more_entry_is_one_more_channel(tmp_path: Path, broker: str, profile: Profile) -> None:
    values = merged(PREVIEW, BROKERS[broker], {"profile": profile, "monitoring": {"enabled": True}})
    objects = Rendering(values, apis=KEDA + PROMETHEUS).objects()

    spec = load_channels(channels_file(objects, tmp_path), profile)["preview"]
    assert (spec.delivery_limit, spec.max_length, spec.prefetch, spec.workers.max) == (7, 1000, 2, 3)

    worker = the(objects, "Deployment", "-preview")
    (pod,) = pod_templates([worker])
    assert pod.channel == "preview"
    assert (
        pod.containers[0]["image"]
        == f"mediaflow-preview:{yaml.safe_load((CHART / 'Chart.yaml').read_text())['appVersion']}"
    )
    assert pod.spec["terminationGracePeriodSeconds"] >= 90

    scaled = the(objects, "ScaledObject", "-preview")["spec"]
    assert scaled["scaleTargetRef"]["name"] == worker["metadata"]["name"]
    assert (scaled["minReplicaCount"], scaled["maxReplicaCount"]) == (0, 3)
    trigger = scaled["triggers"][0]["metadata"]
    assert (trigger["queueName"], trigger["value"], trigger["mode"]) == ("media.preview", "9", "QueueLength")

    (budget,) = named(objects, "PodDisruptionBudget", "-preview")
    assert budget["spec"]["selector"]["matchLabels"][CHANNEL] == "preview"


def test_an_image_of_the_users_runs_a_channel() -> None:
    values = merged(PREVIEW, at("channels.preview.image", "registry.example/preview:7"))
    (pod,) = pod_templates([the(Rendering(values).objects(), "Deployment", "-preview")])

    assert pod.containers[0]["image"] == "registry.example/preview:7"


HABITS = "channels.transcode.profiles"


@pytest.mark.parametrize(
    ("change", "anew"),
    [
        (PREVIEW, set()),
        (at(f"{HABITS}.media.retries.count", 1), {"transcode"}),
        (at("channels.transcode.jobTimeLimitSeconds", 14000), {"transcode"}),
        (at("channels.transcode.maxLength", 14000), {"transcode"}),
        # What only KEDA reads, and the other profile's.
        (at(f"{HABITS}.media.workers.max", 7), set()),
        (at(f"{HABITS}.media.messagesPerWorker", 7), set()),
        (at(f"{HABITS}.simulated.prefetch", 7), set()),
        (at("channels.transcode.env.MEDIAFLOW_TRANSCODE_THREADS", "2"), {"transcode"}),
        (at("ingest.maxUploadBytes", 7), {"ingest"}),
        (at("console.password", "another-password"), {"console"}),
        (at("image.tag", "9.9"), {"ingest", "console", "thumbnail", "transcode", "subtitle"}),
    ],
)
def test_a_change_starts_those_anew_whom_it_concerns_and_nobody_else(change: Json, anew: set[str]) -> None:
    """Ingest and the console read the channels file again by themselves."""
    before, after = ({pod.name: pod for pod in pod_templates(Rendering(each).objects())} for each in ({}, change))
    changed = {
        before[name].channel or before[name].component
        for name in before
        if before[name].runs_for_ever()
        and (before[name].spec, before[name].metadata) != (after[name].spec, after[name].metadata)
    }

    assert changed == anew


def test_a_newer_chart_alone_starts_nothing_anew() -> None:
    labels = {label for pod in pod_templates(Rendering().objects()) if pod.runs_for_ever() for label in pod.labels}

    assert not labels & {"helm.sh/chart", "app.kubernetes.io/version"}


def test_a_channel_that_waits_for_nothing_may_have_no_worker() -> None:
    """0 is a number, and no missing one."""
    objects = Rendering(PREVIEW, apis=KEDA).objects()

    assert the(objects, "ScaledObject", "-preview")["spec"]["minReplicaCount"] == 0


@pytest.mark.parametrize(
    ("values", "words"),
    [
        (at("channels.thumbnail.profiles.media.workers", {"min": 9, "max": 3}), ("thumbnail", "9", "3")),
        (at("channels.thumbnail.profiles.media", {"prefetch": 1, "concurrency": 2}), ("thumbnail", "2", "1")),
    ],
)
def test_numbers_that_contradict_each_other_are_refused_before_the_workers_do_it(
    values: Json, words: tuple[str, ...]
) -> None:
    said = Rendering(values).refusal()

    assert all(word in said for word in words), said
