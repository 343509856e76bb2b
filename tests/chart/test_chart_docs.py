"""The table of values in the chart's README is the one that the comments in values.yaml make."""

import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "scripts"))

from chart_docs import BEGIN, END, described, with_table

ROOT = Path(__file__).parents[2]


def test_the_table_is_current() -> None:
    checked = subprocess.run(
        [sys.executable, ROOT / "scripts/chart_docs.py", "--check"], capture_output=True, text=True, check=False
    )
    assert checked.returncode == 0, checked.stderr


def test_only_what_a_mark_describes_is_told_with_all_its_lines() -> None:
    text = "# A heading.\nstore:\n  # -- Where the media are,\n  # and stay.\n  mode: builtin\n  # quiet\n  size: 1Gi\n"
    assert list(described(text)) == [("store.mode", "Where the media are, and stay.", "builtin")]


def test_a_changed_comment_changes_the_table_and_nothing_else() -> None:
    readme = f"before\n{BEGIN}old\n{END}after\n"
    written = with_table(readme, '# -- One | two.\nname: ""\n')
    assert written.startswith(f"before\n{BEGIN}") and written.endswith(f"{END}after\n")
    assert '| `name` | `""` | One \\| two. |' in written
    with pytest.raises(ValueError, match="values: begin"):
        with_table("no marks", "a: 1\n")
