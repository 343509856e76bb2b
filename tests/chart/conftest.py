"""What tests of the chart share: helm, and all that it renders."""

import os
from pathlib import Path

import pytest

from chart_combinations import render_all
from kube_tools import kube_tool

#: Tests against a real API server: `make test-kube-api` names one.
collect_ignore = [] if os.environ.get("KUBE_APISERVER") else ["test_releases_on_a_real_api.py"]


@pytest.fixture(scope="session")
def helm() -> Path:
    """The program."""
    return kube_tool("helm")


@pytest.fixture(scope="session")
def rendered() -> None:
    """Render every combination before the first test looks at one."""
    render_all()
