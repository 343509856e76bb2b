"""Writes the table of values in the chart's README from the comments of values.yaml: `make chart-docs`.

A comment that begins with ``# --`` describes the value below it; it may go on for several lines. With ``--check``
nothing is written: the exit code is 1 where the table is not the one that the comments make.
"""

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

CHART = Path(__file__).resolve().parent.parent / "charts" / "mediaflow"
BEGIN, END = "<!-- values: begin -->\n", "<!-- values: end -->\n"


def described(text: str) -> Iterator[tuple[str, str, Any]]:
    """Give each described value: the way to it, its description, its default."""
    lines = text.splitlines()
    for way, key, value in _places(yaml.compose(text)):
        if description := _comment_above(lines, key.start_mark.line):
            yield ".".join(way), description, yaml.safe_load(yaml.serialize(value))


def _places(node: yaml.Node, above: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], yaml.Node, yaml.Node]]:
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            way = (*above, key.value)
            yield way, key, value
            yield from _places(value, way)


def _comment_above(lines: list[str], line: int) -> str:
    """Give what the lines of comment right above say after ``# --``; nothing where there is no such mark."""
    words: list[str] = []
    for above in reversed(lines[:line]):
        comment = re.match(r"\s*# ?(.*)", above)
        if comment is None:
            return ""
        words.insert(0, comment[1])
        if words[0].startswith("-- "):
            return " ".join(words)[3:]
    return ""


def table(text: str) -> str:
    """Write the Markdown table."""
    rows = ["| value | default | what it is |", "|---|---|---|"]
    for way, description, default in described(text):
        shown = json.dumps(default, ensure_ascii=False)
        cell = f"`{shown}`" if len(shown) <= 60 else "see `values.yaml`"
        escaped = description.replace("|", "\\|").replace("<", "&lt;")
        rows.append(f"| `{way}` | {cell} | {escaped} |")
    return "\n".join(rows) + "\n"


def with_table(readme: str, values: str) -> str:
    """Give the README with the table that belongs into it. Raises ValueError where its marks are not there."""
    before, found, rest = readme.partition(BEGIN)
    _, ended, after = rest.partition(END)
    if not (found and ended):
        raise ValueError(f"README.md has no {BEGIN.strip()} … {END.strip()}")
    return f"{before}{BEGIN}\n{table(values)}\n{END}{after}"


def main(arguments: list[str]) -> int:
    """Write, or check."""
    readme = CHART / "README.md"
    wanted = with_table(readme.read_text(), (CHART / "values.yaml").read_text())
    if "--check" in arguments:
        if wanted == readme.read_text():
            return 0
        sys.stderr.write("charts/mediaflow/README.md: the table of values is an old one; make chart-docs writes it\n")
        return 1
    readme.write_text(wanted)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
