"""The dashboards: current, importable by hand, and each panel says what it is."""

import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest

from promql_names import ROOT, dashboards
from rendered_chart import PROMETHEUS, Rendering, named

sys.path.insert(0, str(ROOT / "scripts"))
import dashboards as generator

BOARDS = {board["uid"]: board for board in dashboards()}


def panels(board: dict[str, Any]) -> list[dict[str, Any]]:
    return [panel for panel in board["panels"] if panel["type"] != "row"]


def test_the_files_are_what_their_source_says() -> None:
    written = {file.name: file.read_text() for file in generator.FOLDER.glob("*.json")}

    assert written == generator.render()


def test_a_file_that_is_not_current_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(generator, "FOLDER", tmp_path)
    assert generator.main(["--check"]) == 1
    generator.main([])
    assert generator.main(["--check"]) == 0


@pytest.mark.parametrize("uid", BOARDS)
def test_every_panel_has_a_title_a_description_a_unit_and_legends(uid: str) -> None:
    for panel in panels(BOARDS[uid]):
        assert panel["title"]
        assert panel["description"].endswith(".")
        assert panel["fieldConfig"]["defaults"]["unit"]
        assert panel["fieldConfig"]["defaults"]["thresholds"]["steps"][0]["value"] is None
        assert all(target["legendFormat"] for target in panel["targets"])


@pytest.mark.parametrize("uid", BOARDS)
def test_a_dashboard_is_imported_by_hand_for_any_prometheus(uid: str) -> None:
    board = BOARDS[uid]
    variables = {each["name"]: each for each in board["templating"]["list"]}
    used = set(re.findall(r"\$\{?([a-z]\w*)", json.dumps(board)))

    assert variables["datasource"]["type"] == "datasource"
    assert used <= set(variables), used - set(variables)
    assert {panel["datasource"]["uid"] for panel in panels(board)} == {"${datasource}"}
    assert "id" not in board


@pytest.mark.parametrize("uid", BOARDS)
def test_panels_fill_their_rows_and_never_lie_on_each_other(uid: str) -> None:
    taken: set[tuple[int, int]] = set()
    for panel in BOARDS[uid]["panels"]:
        grid = panel["gridPos"]
        cells = {
            (x, y) for x in range(grid["x"], grid["x"] + grid["w"]) for y in range(grid["y"], grid["y"] + grid["h"])
        }
        assert not cells & taken
        assert max(x for x, _ in cells) < 24
        taken |= cells


def test_every_link_leads_to_a_section_of_the_runbook() -> None:
    headings = {
        line[4:].lower() for line in (ROOT / "OPERATIONS.md").read_text().splitlines() if line.startswith("### ")
    }
    for board in BOARDS.values():
        for panel in panels(board):
            for link in panel["links"]:
                assert link["url"].partition("#")[2] in headings, panel["title"]


def test_the_chart_brings_each_dashboard_and_the_runbooks_address() -> None:
    monitoring = {"enabled": True, "runbookUrl": "https://docs.example/OPERATIONS.md"}
    objects = Rendering({"monitoring": monitoring}, apis=PROMETHEUS).objects()
    found = [
        json.loads(text) for each in named(objects, "ConfigMap") for text in each["data"].values() if "panels" in text
    ]

    assert {board["uid"] for board in found} == set(BOARDS)
    assert all("https://docs.example/OPERATIONS.md" in json.dumps(board) for board in found)
    (rules,) = named(objects, "PrometheusRule")
    urls = {rule["annotations"]["runbook_url"] for group in rules["spec"]["groups"] for rule in group["rules"]}
    assert all(url.startswith("https://docs.example/OPERATIONS.md#mediaflow") for url in urls)


def test_the_rules_of_two_releases_never_look_at_each_other() -> None:
    for release, lag in (("films", 60), ("tv", 1800)):
        values = {"monitoring": {"enabled": True, "lagTargetSeconds": lag}}
        (rules,) = named(Rendering(values, apis=PROMETHEUS, release=release).objects(), "PrometheusRule")
        for rule in (rule for group in rules["spec"]["groups"] for rule in group["rules"]):
            selectors = re.findall(r"\b(?:mediaflow|rabbitmq|keda|kube)_\w+(\{[^}]*\})", rule["expr"])
            assert all('namespace="media"' in each for each in selectors), rule["alert"]
            own = (f'release="{release}"', f'"{release}-mediaflow-', f'"keda-hpa-{release}-mediaflow-')
            assert all(any(word in each for word in own) for each in selectors), rule["alert"]
            if rule["alert"] == "MediaflowLag":
                assert f"> {lag}" in rule["expr"]
                assert f"{lag} s" in rule["annotations"]["description"]
