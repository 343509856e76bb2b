"""A replay as a Job: made from the suspended CronJob's template, and read back with its pod and its log. Pure."""

import copy
import json
import re
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from console.control.fleet_control import ReplayRequest, ReplayRun
from console.control.kube_names import CHANNEL, COMPONENT, INSTANCE, REPLAY_REQUEST, REPLAYER
from console.control.kube_workers import describe_waiting, read_time
from console.control.replay_progress import ReplayProcess, replay_run
from console.control.replay_words import replay_arguments, request_as_json, request_from_json

#: Seconds for which an ended replay is kept where the template does not say.
_KEPT_S = 24 * 3600

#: A Job's name becomes a label of its pods.
_LONGEST_NAME = 63

Json = Mapping[str, Any]


def replay_job(cron_job: Json, release: str, request: ReplayRequest, name: str) -> dict[str, Any]:
    """Make the Job's manifest: the template's pod, with the replayer's options. Raises ControlRefused."""
    template = copy.deepcopy(dict(cron_job["spec"]["jobTemplate"]))
    spec = template["spec"]
    # A run that failed is looked at by a person, and never begins again by itself.
    spec["backoffLimit"] = 0
    spec.setdefault("ttlSecondsAfterFinished", _KEPT_S)
    pod = spec["template"]
    pod["spec"]["restartPolicy"] = "Never"
    labels = {INSTANCE: release, COMPONENT: REPLAYER, CHANNEL: request.channel}
    pod_metadata = pod.setdefault("metadata", {})
    pod_metadata["labels"] = pod_metadata.get("labels", {}) | labels
    container = pod["spec"]["containers"][0]
    container["args"] = [f"--channel={request.channel}", "--progress=json", *replay_arguments(request)]
    metadata = template.get("metadata", {})
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {
            "name": name,
            "labels": metadata.get("labels", {}) | labels,
            "annotations": metadata.get("annotations", {})
            | {"cronjob.kubernetes.io/instantiate": "manual", REPLAY_REQUEST: json.dumps(request_as_json(request))},
            "ownerReferences": [_owner(cron_job)],
        },
        "spec": spec,
    }


def next_name(release: str, channel: str, jobs: Iterable[Json], now: datetime) -> str:
    """Give the name of a channel's next Job. Two who ask at once get the same, and one of them is refused."""
    day = f"{now:%Y%m%d}"
    taken = [_number_of(job["metadata"]["name"], day) for job in jobs]
    ending = f"-{day}-{max(taken, default=0) + 1}"
    plain = re.sub(r"[^a-z0-9-]", "-", f"{release}-replay-{channel}".lower())
    return f"{plain[: _LONGEST_NAME - len(ending)]}{ending}"


def is_replay_of(job: Json, channel: str) -> bool:
    """Whether the Job replays that channel's dead letters."""
    return bool(job["metadata"].get("labels", {}).get(CHANNEL) == channel)


def has_ended(job: Json) -> bool:
    """Whether the Job is complete or has failed."""
    return _end(job) is not None


def read_replay(job: Json, pod: Json | None, log: str) -> ReplayRun:
    """Read a Job with its pod and the end of its log, where there are such."""
    metadata = job["metadata"]
    channel = metadata.get("labels", {}).get(CHANNEL, "")
    end = _end(job)
    process = ReplayProcess(
        started_at=read_time(job.get("status", {}).get("startTime") or metadata.get("creationTimestamp")),
        ended_at=read_time(end["lastTransitionTime"]) if end else None,
        stopping="deletionTimestamp" in metadata,
        exit_code=_exit_code(end, pod),
        said=_said(end, pod),
    )
    return replay_run(metadata["name"], request_from_json(_request(metadata), channel), process, last_progress(log))


def last_progress(log: str) -> dict[str, Any] | None:
    """Find the replayer's last line of progress among whatever else is in its log."""
    for line in reversed(log.splitlines()):
        if line.startswith("{"):
            try:
                said = json.loads(line)
            except ValueError:
                continue
            if isinstance(said, dict) and "state" in said:
                return said
    return None


def _owner(cron_job: Json) -> dict[str, str]:
    metadata = cron_job["metadata"]
    return {"apiVersion": "batch/v1", "kind": "CronJob", "name": metadata["name"], "uid": metadata["uid"]}


def _number_of(name: str, day: str) -> int:
    found = re.search(rf"-{day}-(\d+)\Z", name)
    return int(found[1]) if found else 0


def _end(job: Json) -> Json | None:
    for condition in job.get("status", {}).get("conditions", ()):
        if condition["type"] in ("Complete", "Failed") and condition["status"] == "True":
            return dict(condition)
    return None


def _request(metadata: Json) -> Json:
    try:
        words = json.loads(metadata.get("annotations", {}).get(REPLAY_REQUEST, "{}"))
    except ValueError:
        return {}
    return words if isinstance(words, dict) else {}


def _exit_code(end: Json | None, pod: Json | None) -> int | None:
    if end is not None and end["type"] == "Complete":
        return 0
    terminated = _terminated(pod)
    return terminated.get("exitCode") if terminated else None


def _said(end: Json | None, pod: Json | None) -> str:
    terminated = _terminated(pod)
    if terminated and terminated.get("exitCode"):
        reason = terminated.get("reason", "")
        return f"exit code {terminated['exitCode']}{f' ({reason})' if reason not in ('', 'Error') else ''}"
    if end is not None and end["type"] == "Failed":
        return str(end.get("message") or end.get("reason", ""))
    return describe_waiting(pod) if pod else ""


def _terminated(pod: Json | None) -> Json | None:
    containers = (pod or {}).get("status", {}).get("containerStatuses", ())
    found: Json | None = next((each["state"].get("terminated") for each in containers if each.get("state")), None)
    return found
