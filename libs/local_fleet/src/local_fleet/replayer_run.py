"""The replayer on the running fleet's broker and store. It takes this process's place, so signals reach it."""

import os
import sys
from collections.abc import Mapping, Sequence
from typing import Any


def run_replayer(status: Mapping[str, Any], arguments: Sequence[str]) -> None:
    """Become the replayer; does not return. ``status``: of the fleet."""
    os.execve(sys.executable, [sys.executable, "-m", "replayer", *arguments], replayer_environment(os.environ, status))  # noqa: S606


def replayer_environment(inherited: Mapping[str, str], status: Mapping[str, Any]) -> dict[str, str]:
    """Give the environment in which the replayer finds what the fleet uses. Pure."""
    return {**inherited, "AMQP_URL": status["broker"]["amqp_url"], "MEDIAFLOW_STORE_URL": status["store_url"]}
