"""How a replay stands, from what its process said and how it ended. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from console.control.fleet_control import ReplayRequest, ReplayRun, ReplayState


@dataclass(frozen=True, slots=True)
class ReplayProcess:
    """What is known of the process: when it lived, whether it was asked to stop, and its exit code once it is gone."""

    started_at: datetime | None
    ended_at: datetime | None = None
    stopping: bool = False
    exit_code: int | None = None
    #: Why it ended, or why it has not begun, in words of whoever ran it.
    said: str = ""


def replay_run(
    run_id: str, request: ReplayRequest, process: ReplayProcess, progress: Mapping[str, Any] | None
) -> ReplayRun:
    """Put a run together; `progress` is the replayer's last JSON line, None or empty before its first."""
    line = progress or {}
    summary = line.get("summary")
    return ReplayRun(
        id=run_id,
        request=request,
        state=_state(process, line),
        started_at=process.started_at,
        ended_at=process.ended_at,
        seen=_count(line, "seen"),
        moved=_count(line, "moved"),
        left=_count(line, "left"),
        total=_count(line, "total") if line.get("total") is not None else None,
        message=str(line.get("message") or "") or process.said,
        summary=summary if isinstance(summary, Mapping) else None,
    )


def _state(process: ReplayProcess, line: Mapping[str, Any]) -> ReplayState:
    told = line.get("state")
    if process.ended_at is None:
        if process.stopping:
            return "stopping"
        return "running" if told not in (None, "waiting") else "waiting"
    if told in ("stopped", "failed"):
        return "stopped" if told == "stopped" else "failed"
    if process.stopping and told in (None, "waiting"):  # it had not begun, or had nothing to say about it yet
        return "stopped"
    return "done" if process.exit_code == 0 else "failed"


def _count(line: Mapping[str, Any], name: str) -> int:
    value = line.get(name)
    return value if isinstance(value, int) else 0
