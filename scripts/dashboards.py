"""Writes Grafana's dashboards from scripts/dashboards.yaml: `make dashboards`.

Usage: python scripts/dashboards.py [--check]. With --check nothing is written; 1 when a file is not what it should be.
"""

import json
import sys
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "scripts" / "dashboards.yaml"
FOLDER = ROOT / "charts" / "mediaflow" / "dashboards"

Json = dict[str, Any]

#: What $scope, $work and $channels stand for in a query.
_WORDS = {
    "$scope": 'namespace=~"$namespace", release=~"$release"',
    "$work": 'queue=~"$channel", queue!~".+\\\\.dlq"',
    "$channels": 'channel=~"$channel"',
}
_DATASOURCE = {"type": "prometheus", "uid": "${datasource}"}
_COLUMNS = 24


def render() -> dict[str, str]:
    """Give the text of each file by its name."""
    return {
        f"{each['uid'].removeprefix('mediaflow-')}.json": json.dumps(_dashboard(each), indent=2, ensure_ascii=False)
        + "\n"
        for each in yaml.safe_load(SOURCE.read_text())
    }


def _dashboard(told: Json) -> Json:
    return {
        "uid": told["uid"],
        "title": told["title"],
        "description": told["description"],
        "tags": ["mediaflow"],
        "editable": True,
        "graphTooltip": 1,
        "refresh": "10s",
        "schemaVersion": 39,
        "time": {"from": "now-1h", "to": "now"},
        "timezone": "browser",
        "links": [_other_dashboards()],
        "templating": {"list": _variables(told)},
        "annotations": {"list": [_alerts()]},
        "panels": _panels(told["rows"]),
    }


def _other_dashboards() -> Json:
    return {
        "title": "Mediaflow",
        "type": "dashboards",
        "tags": ["mediaflow"],
        "asDropdown": True,
        "includeVars": True,
        "keepTime": True,
    }


def _alerts() -> Json:
    """Mark what fired on every panel."""
    return {
        "name": "Alerts",
        "datasource": _DATASOURCE,
        "enable": True,
        "iconColor": "red",
        "expr": f'ALERTS{{alertname=~"Mediaflow.+", alertstate="firing", {_WORDS["$scope"]}}}',
        "step": "30s",
        "titleFormat": "{{alertname}}",
        "textFormat": "{{channel}}{{queue}}",
    }


def _variables(told: Json) -> list[Json]:
    found = [
        {"name": "datasource", "label": "Prometheus", "type": "datasource", "query": "prometheus", "current": {}},
        _choice("namespace", "Namespace", "label_values(mediaflow_publisher_connected, namespace)"),
        _choice("release", "Release", 'label_values(mediaflow_publisher_connected{namespace=~"$namespace"}, release)'),
        {
            "name": "runbook",
            "label": "Runbook",
            "type": "textbox",
            "query": "OPERATIONS.md",
            "current": {"text": "OPERATIONS.md", "value": "OPERATIONS.md"},
        },
    ]
    if "channels" in told:
        everything = "media\\..+" if "queue" in told["channels"] else ".*"
        found.append(_choice("channel", "Channel", told["channels"], everything))
    return found


def _choice(name: str, label: str, query: str, everything: str = ".*") -> Json:
    return {
        "name": name,
        "label": label,
        "type": "query",
        "datasource": _DATASOURCE,
        "definition": query,
        "query": {"query": query, "refId": name},
        "refresh": 2,
        "sort": 1,
        "includeAll": True,
        "multi": True,
        "allValue": everything,
        "current": {"text": ["All"], "value": ["$__all"]},
    }


def _panels(rows: list[Json]) -> list[Json]:
    panels: list[Json] = []
    top = 0
    for row in rows:
        panels.append(
            {
                "id": len(panels) + 1,
                "type": "row",
                "title": row["title"],
                "collapsed": False,
                "panels": [],
                "gridPos": {"h": 1, "w": _COLUMNS, "x": 0, "y": top},
            }
        )
        width = _COLUMNS // len(row["panels"])
        for place, told in enumerate(row["panels"]):
            grid = {"h": row["height"], "w": width, "x": place * width, "y": top + 1}
            panels.append({"id": len(panels) + 1, "gridPos": grid, **_panel(told)})
        top += 1 + row["height"]
    return panels


def _panel(told: Json) -> Json:
    kind = told.get("kind", "timeseries")
    anchor = told.get("runbook")
    return {
        "type": kind,
        "title": told["title"],
        "description": told["description"],
        "datasource": _DATASOURCE,
        "links": [{"title": f"Runbook: {anchor}", "url": f"${{runbook}}#{anchor}", "targetBlank": True}]
        if anchor
        else [],
        "targets": [_target(number, *query) for number, query in enumerate(told["queries"])],
        "fieldConfig": {"defaults": _field(told, kind), "overrides": []},
        "options": _STAT if kind == "stat" else _LINES,
    }


def _target(number: int, legend: str, expression: str) -> Json:
    for word, meant in _WORDS.items():
        expression = expression.replace(word, meant)
    return {
        "refId": chr(ord("A") + number),
        "datasource": _DATASOURCE,
        "expr": expression,
        "legendFormat": legend or "__auto",
        "range": True,
    }


_STAT: Json = {
    "reduceOptions": {"calcs": ["lastNotNull"], "fields": "", "values": False},
    "colorMode": "background",
    "graphMode": "area",
    "textMode": "value",
}
_LINES: Json = {
    "legend": {"displayMode": "table", "placement": "bottom", "showLegend": True, "calcs": ["lastNotNull", "max"]},
    "tooltip": {"mode": "multi", "sort": "desc"},
}


def _field(told: Json, kind: str) -> Json:
    limits = [{"value": value, "color": colour} for value, colour in told.get("limits", [[None, "green"]])]
    field: Json = {"unit": told["unit"], "min": 0, "thresholds": {"mode": "absolute", "steps": limits}}
    if kind == "stat":
        return field | {"color": {"mode": "thresholds"}, "noValue": "–"}
    shown = "dashed" if "limits" in told else "off"
    custom = {"lineWidth": 2, "fillOpacity": 8, "showPoints": "never", "thresholdsStyle": {"mode": shown}}
    return field | {"color": {"mode": "palette-classic"}, "custom": custom}


def main(arguments: list[str]) -> int:
    """Write the files, or check them."""
    stale = [name for name, text in render().items() if not _is(FOLDER / name, text)]
    if "--check" in arguments:
        if stale:
            sys.stderr.write(
                f"not what scripts/dashboards.yaml says: {', '.join(stale)}; make dashboards writes them\n"
            )
        return 1 if stale else 0
    for name, text in render().items():
        (FOLDER / name).write_text(text)
    return 0


def _is(file: Path, text: str) -> bool:
    return file.is_file() and file.read_text() == text


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
