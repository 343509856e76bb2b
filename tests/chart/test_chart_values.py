"""Values that are wrong are refused with a sentence that names the key, before anything reaches the cluster."""

import copy
import json
import re
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest
import yaml
from jsonschema import Draft202012Validator
from jsonschema.validators import validator_for

from chart_combinations import BROKERS, combinations
from rendered_chart import CHART, Json, Rendering, at, merged

#: Below these, keys are the user's own, or Kubernetes': a cluster says itself what is wrong with them.
FREE = re.compile(
    r"(^|\.)(commonLabels|annotations|nodeSelector|tolerations|env|labels?|\w+NamespaceLabels|resources|behavior|args"
    r"|pullSecrets|extraVolumes|extraVolumeMounts|affinity)(\.|$)"
)


@cache
def defaults() -> Json:
    return dict(yaml.safe_load((CHART / "values.yaml").read_text()))


@cache
def schema() -> Draft202012Validator:
    content = json.loads((CHART / "values.schema.json").read_text())
    kind: type[Draft202012Validator] = validator_for(content)
    kind.check_schema(content)
    return kind(content)


def places(value: Json, above: str = "") -> Iterator[tuple[str, Any]]:
    """Give every key that there is by its way, with what stands there."""
    for key, below in value.items():
        way = f"{above}.{key}" if above else key
        yield way, below
        if isinstance(below, dict):
            yield from places(below, way)


PLACES = [(way, value) for way, value in places(defaults()) if not FREE.search(way)]


def with_(way: str, value: Any) -> Json:
    """Give the chart's own values with another one at one place."""
    *above, last = way.split(".")
    changed = copy.deepcopy(defaults())
    there = changed
    for key in above:
        there = there[key]
    there[last] = value
    return changed


def test_the_schema_takes_the_charts_own_values_and_those_of_every_combination() -> None:
    assert list(schema().iter_errors(defaults())) == []
    assert len(PLACES) > 150
    for name, rendering in combinations().items():
        files = [yaml.safe_load((CHART / file).read_text()) for file in rendering.files]
        said = [error.message for error in schema().iter_errors(merged(defaults(), *files, rendering.values))]
        assert said == [], name


def _refused(values: Json) -> set[str]:
    """Give the places that the schema has something against."""
    return {".".join(map(str, error.absolute_path)) for error in schema().iter_errors(values)}


def test_every_place_in_the_values_refuses_a_key_that_it_does_not_know() -> None:
    planted = copy.deepcopy(defaults())
    closed = [way for way, value in PLACES if isinstance(value, dict) and way != "channels"]
    for way in closed:
        _at(planted, way)["typo"] = 1
    planted["typo"] = 1

    assert {"", *closed} <= _refused(planted)
    assert all("typo" in error.message for error in schema().iter_errors(planted))


@pytest.mark.parametrize(
    ("kind", "wrong"), [(bool, "perhaps"), (int, -1), (int, "many"), (float, -0.5), (str, {"a": 1}), (list, "text")]
)
def test_every_value_has_a_type_and_no_number_is_negative(kind: type, wrong: Any) -> None:
    planted = copy.deepcopy(defaults())
    places = [way for way, value in PLACES if type(value) is kind]
    for way in places:
        above, _, last = way.rpartition(".")
        _at(planted, above)[last] = wrong

    assert places
    assert set(places) - _refused(planted) == set()


def test_a_text_is_taken_for_no_group_of_values() -> None:
    for key, value in defaults().items():
        if isinstance(value, dict) and not FREE.search(key):
            assert key in _refused(with_(key, "text"))


def _at(values: Json, way: str) -> Json:
    for key in filter(None, way.split(".")):
        values = values[key]
    return values


@pytest.mark.parametrize(
    ("way", "wrong"),
    [
        ("profile", "real"),
        ("log.level", "loud"),
        ("log.format", "xml"),
        ("image.pullPolicy", "Sometimes"),
        ("keda.enabled", "maybe"),
        ("rabbitmq.mode", "cluster"),
        ("rabbitmq.antiAffinity", "yes"),
        ("rabbitmq.memoryHighWatermark", 1.5),
        ("rabbitmq.replicas", 0),
        ("store.mode", "nfs"),
        ("ingest.service.type", "Balanced"),
        ("ingest.highWater", 1.5),
        ("ingest.workers", 0),
        ("ingest.autoscaling.maxReplicas", 0),
        ("channels.thumbnail.deliveryLimit", 0),
        ("channels.thumbnail.jobTimeLimitSeconds", 0),
        ("channels.thumbnail.profiles.media.prefetch", 0),
        ("channels.thumbnail.profiles.media.retries.multiplier", 0.5),
        ("channels.thumbnail.profiles.media.simulated.failureRate", 1.1),
        ("workers.maxGraceSeconds", "long"),
        ("rabbitmq.storage.size", "much"),
        ("rabbitmq.consumerTimeoutSeconds", 1.5),
    ],
)
def test_a_value_out_of_its_range_is_refused_by_name(way: str, wrong: Any) -> None:
    said = " ".join(error.json_path for error in schema().iter_errors(with_(way, wrong)))

    assert way.rsplit(".", 1)[-1] in said


@pytest.mark.parametrize(
    "way",
    [
        "ingset",
        "ingest.replica",
        "ingest.autoscaling.minReplica",
        "ingest.ingress.tls.secretname",
        "channels.thumbnail.delivryLimit",
        "channels.thumbnail.profiles.media.prefecth",
        "channels.thumbnail.profiles.media.workers.mim",
        "channels.thumbnail.profiles.medai.prefetch",
        "rabbitmq.external.existingsecret",
        "store.s3.buckett",
        "networkPolicy.enable",
        "monitoring.dashboards.enable",
        "load.rat",
    ],
)
def test_helm_names_a_misspelt_key(way: str) -> None:
    said = Rendering(at(way, 1)).refusal()

    misspelt = next(key for key in way.split(".") if key not in _known_keys())
    assert misspelt in said
    assert len(said) < 600


@cache
def _known_keys() -> frozenset[str]:
    return frozenset(key for way, _ in places(defaults()) for key in way.split("."))


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        (at("store.mode", "s3"), "store.s3.bucket: which bucket holds the media?"),
        (at("rabbitmq.mode", "external"), "rabbitmq.external.existingSecret: name the Secret with the keys "),
        (
            merged(BROKERS["external"], at("rabbitmq.external.managementHost", ""), at("keda.enabled", True)),
            "rabbitmq.external.managementHost: where is the management API",
        ),
        (
            merged(
                *(BROKERS["external"], at("keda.enabled", True)),
                at("rabbitmq.external.managementHost", "http://me:secret@rabbitmq.example"),
            ),
            "without a login",
        ),
        (at("rabbitmq.consumerTimeoutSeconds", 3600), "rabbitmq.consumerTimeoutSeconds: 3600 is not more than"),
        (at("load.enabled", True), "Set ingest.allowSimulated=true"),
    ],
)
def test_what_is_missing_is_one_sentence_that_says_what_to_do(values: Json, sentence: str) -> None:
    said = Rendering(values).refusal()

    assert sentence in said
    assert len(said.strip().splitlines()) <= 3, said


@pytest.mark.parametrize("name", ["Thumbnail", "4k", "sub title", "a" * 33])
def test_a_channels_name_is_one_that_the_fleet_takes(name: str) -> None:
    assert name in Rendering({"channels": {name: defaults()["channels"]["thumbnail"]}}).refusal()


def test_a_channel_needs_all_its_numbers() -> None:
    said = Rendering({"channels": {"preview": {"deliveryLimit": 3}}}).refusal()

    assert "preview" in said
    assert "jobTimeLimitSeconds" in said


def test_every_value_is_read_by_a_template() -> None:
    text = "\n".join(file.read_text() for file in (CHART / "templates").rglob("*.*"))
    whole = set(re.findall(r"(?:toYaml|toJson|range|include)\s[^}]*?\.(\w+)", text))
    for way, value in PLACES:
        keys = way.split(".")
        if isinstance(value, dict) or whole & set(keys[:-1]):
            continue
        assert re.search(rf'[.$"]{re.escape(keys[-1])}\b', text), f"{way} is read nowhere"
