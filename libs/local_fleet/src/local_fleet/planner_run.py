"""The planner, which is part of the console, on the running fleet or without one. It takes this process's place."""

import os
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from local_fleet.replayer_run import replayer_environment


def run_planner(status: Mapping[str, Any] | None, arguments: Sequence[str]) -> None:
    """Become the planner; does not return. ``status``: of the fleet, None where none is up."""
    environment = planner_environment(os.environ, status)
    os.execve(sys.executable, planner_command(status, arguments), environment)  # noqa: S606


def planner_command(status: Mapping[str, Any] | None, arguments: Sequence[str]) -> list[str]:
    """Give the planner's command; it asks the fleet's console for figures where there is one. Pure."""
    console = status["console"] if status else None
    return [sys.executable, "-m", "console.planner", *([f"--console={console}"] if console else []), *arguments]


def planner_environment(inherited: Mapping[str, str], status: Mapping[str, Any] | None) -> dict[str, str]:
    """Give the environment in which the planner finds what the fleet uses. Pure."""
    if status is None:
        return dict(inherited)
    management = status["broker"]["management_url"]
    known = {"MEDIAFLOW_MANAGEMENT_URL": management} if management else {}
    return replayer_environment(inherited, status) | known
