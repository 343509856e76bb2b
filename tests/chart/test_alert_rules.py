"""The alert rules: they parse, they say what they should of made-up histories, and all they speak of exists."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
RULES = ROOT / "charts" / "mediaflow" / "rules" / "alerts.yaml"
HISTORIES = yaml.safe_load((Path(__file__).parent / "alert_histories.yaml").read_text())


def alerts() -> list[dict[str, Any]]:
    return [rule for group in yaml.safe_load(RULES.read_text())["groups"] for rule in group["rules"]]


@pytest.fixture
def promtool() -> str:
    found = shutil.which("promtool")
    assert found, "the tests need promtool on the PATH: apt-get install prometheus"
    return found


def promtool_test(history: dict[str, Any]) -> dict[str, Any]:
    """Say a history in promtool's words."""
    severity = next(rule["labels"]["severity"] for rule in alerts() if rule["alert"] == history["alert"])
    firing = {
        "exp_labels": {"severity": severity, **history.get("labels", {})},
        "exp_annotations": {"summary": history["summary"]},
    }
    return {
        "name": history["alert"],
        "interval": "1m",
        "input_series": [{"series": name, "values": str(values)} for name, values in history["series"].items()],
        "alert_rule_test": [
            {
                "eval_time": f"{minute}m",
                "alertname": history["alert"],
                "exp_alerts": [firing] if moment == "fires" else [],
            }
            for moment, minute in history["at"].items()
        ],
    }


def test_each_alert_fires_when_it_should_and_then_alone_and_ends(promtool: str, tmp_path: Path) -> None:
    rules = yaml.safe_load(RULES.read_text())
    for rule in (rule for group in rules["groups"] for rule in group["rules"]):
        rule["annotations"] = {"summary": rule["annotations"]["summary"]}
    tests = [promtool_test(each) for each in HISTORIES]
    (tmp_path / "alerts.yaml").write_text(yaml.safe_dump(rules))
    (tmp_path / "tests.yaml").write_text(
        yaml.safe_dump({"rule_files": ["alerts.yaml"], "evaluation_interval": "1m", "tests": tests})
    )

    done = subprocess.run(
        [promtool, "test", "rules", "tests.yaml"], cwd=tmp_path, capture_output=True, text=True, check=False
    )

    assert done.returncode == 0, done.stdout + done.stderr
    assert [each["alert"] for each in HISTORIES] == [rule["alert"] for rule in alerts()]


def test_every_alert_tells_a_number_and_what_it_means() -> None:
    for rule in alerts():
        description = rule["annotations"]["description"]
        assert "$value" in description or re.search(r"\d", description), rule["alert"]
        assert description != rule["annotations"]["summary"]


def test_every_sample_that_a_rule_looks_at_is_of_one_release() -> None:
    """The chart writes its release where these words stand."""
    scoped = re.compile(r'release=~"\.\*"|namespace=~"\.\+"|exported_namespace=')
    for rule in alerts():
        selecting = re.sub(r"\b(?:by|on) \([^)]*\)", "", rule["expr"])
        for name, labels in re.findall(r"\b((?:mediaflow|rabbitmq|keda|kube)_\w+|up\b)(\{[^}]*\})?", selecting):
            assert scoped.search(labels), f"{rule['alert']}: {name}"


@pytest.fixture(scope="module")
def our_metrics() -> set[str]:
    """Name the metrics of our modules, by a process in which no test has made one."""
    program = (
        "import ingest.metrics, mediaflow_load.metrics, mq_common.metrics\n"
        "from console.fleet.metrics import FleetCollector\n"
        "from prometheus_client import REGISTRY\n"
        "REGISTRY.register(FleetCollector(lambda: None, lambda: 0))\n"
        "print(*(metric.name for metric in REGISTRY.collect()))"
    )
    found = {"PYTHONPATH": str(ROOT / "tests" / "load")}
    printed = subprocess.run(
        [sys.executable, "-c", program], env=os.environ | found, capture_output=True, text=True, check=True
    ).stdout
    return {name for name in printed.split() if name.startswith("mediaflow_")}


def test_every_metric_of_ours_in_a_rule_is_one_that_we_have(our_metrics: set[str]) -> None:
    text = " ".join(rule["expr"] for rule in alerts())
    used = {re.sub(r"_(total|bucket|sum|count)$", "", name) for name in re.findall(r"\bmediaflow_\w+", text)}

    assert used
    assert used <= our_metrics


def test_every_problem_in_a_rule_is_one_that_ingest_answers_with() -> None:
    from ingest.problems import KINDS

    known = {kind.slug for kind in KINDS}
    for rule in alerts():
        for choice in re.findall(r'problem=~"([^"]+)"', rule["expr"]):
            assert set(choice.split("|")) <= known, rule["alert"]


def test_every_alert_has_its_section_in_the_runbook() -> None:
    headings = re.findall(r"^### (\w+)$", (ROOT / "OPERATIONS.md").read_text(), re.MULTILINE)

    for rule in alerts():
        assert rule["alert"] in headings
        assert rule["annotations"]["runbook"] == f"OPERATIONS.md#{rule['alert'].lower()}"
        assert rule["labels"]["severity"] in {"warning", "critical"}
        assert rule["annotations"]["summary"]


def test_every_section_on_an_alert_is_about_one_that_there_is() -> None:
    headings = re.findall(r"^### (Mediaflow\w+)$", (ROOT / "OPERATIONS.md").read_text(), re.MULTILINE)

    assert set(headings) == {rule["alert"] for rule in alerts()}


def test_every_metric_of_ours_is_explained_and_no_other(our_metrics: set[str]) -> None:
    explained = set(re.findall(r"`(mediaflow_\w+)`", (ROOT / "OPERATIONS.md").read_text()))

    assert our_metrics
    assert explained == our_metrics


def test_every_alert_has_a_drill_that_makes_it_fire() -> None:
    described = (ROOT / "OPERATIONS.md").read_text().partition("\n## Drills\n")[2].partition("\n## ")[0]
    rows = [row for row in described.splitlines() if row.startswith("|")]
    listed = [name for row in rows for name in re.findall(r"Mediaflow\w+", row)]
    drills = (ROOT / "tests" / "drills" / "mediaflow_drills").glob("*drills.py")
    played = [name for file in drills for name in re.findall(r"\"(Mediaflow\w+)\"[,)]", file.read_text())]

    assert sorted(listed) == sorted(rule["alert"] for rule in alerts())
    assert sorted(played) == sorted(listed)


def test_a_drill_for_a_cluster_says_what_it_needs_before_anything_is_begun() -> None:
    drill = [sys.executable, ROOT / "tests" / "drills" / "run.py", "MediaflowPodsRestart"]
    environment = {name: value for name, value in os.environ.items() if name != "KUBECONFIG"}
    environment["PYTHONPATH"] = str(ROOT / "tests" / "support")

    done = subprocess.run(drill, env=environment, capture_output=True, text=True, timeout=60, check=False)

    assert (done.returncode, done.stdout) == (2, "")
    assert "MediaflowPodsRestart: this drill needs a cluster. KUBECONFIG is not set" in done.stderr
