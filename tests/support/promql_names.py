"""The names of metrics in PromQL, and the expressions of the chart's rules and dashboards."""

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parents[2]
CHART = ROOT / "charts" / "mediaflow"

#: What Grafana puts in where these stand: all there is, over a range that a test's few seconds can fill.
GRAFANA = {"$__rate_interval": "20s", "$namespace": ".*", "$release": ".*"}

_STRING = re.compile(r"\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'")
_NOT_SELECTED = re.compile(r"\b(?:by|without|on|ignoring|group_left|group_right)\s*\([^)]*\)|\{[^}]*\}|\[[^\]]*\]")
_WORD = re.compile(r"\b([a-zA-Z_:][\w:]*)\b(?!\s*\()")
_KEYWORDS = {"and", "or", "unless", "by", "without", "on", "ignoring", "bool", "offset", "inf", "nan"}


def metric_names(expression: str) -> set[str]:
    """Give the names of the metrics that an expression selects."""
    left = _NOT_SELECTED.sub(" ", _STRING.sub('""', expression))
    return {word for word in _WORD.findall(left) if word.lower() not in _KEYWORDS}


def rule_expressions() -> Iterator[tuple[str, str]]:
    """Give each alert's name and expression."""
    for group in yaml.safe_load((CHART / "rules" / "alerts.yaml").read_text())["groups"]:
        for rule in group["rules"]:
            yield rule["alert"], rule["expr"]


def dashboards() -> Iterator[dict[str, Any]]:
    """Give each dashboard."""
    for file in sorted((CHART / "dashboards").glob("*.json")):
        yield json.loads(file.read_text())


def panel_expressions(meant: Mapping[str, str] = GRAFANA) -> Iterator[tuple[str, str]]:
    """Give where each query of a panel stands, and its expression with what Grafana's variables mean filled in."""
    for board in dashboards():
        (everything, *_) = [each["allValue"] for each in board["templating"]["list"] if each["name"] == "channel"] or [
            ""
        ]
        for panel in board["panels"]:
            for target in panel.get("targets", ()):
                expression = target["expr"]
                for word, filled in {**meant, "$channel": everything.replace("\\", "\\\\")}.items():
                    expression = expression.replace(word, filled)
                yield f"{board['title']} / {panel['title']} / {target['legendFormat']}", expression
