"""What the client pod does in the cluster: `python -m mediaflow_k8s.in_pod COMMAND JSON` prints one JSON document."""

import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

Json = dict[str, Any]

#: The books of loads; in the pod below /tmp.
WORK = Path(tempfile.gettempdir()) / "client"
#: A load that nobody stops ends by itself, after so many seconds.
_LONGEST_LOAD_S = 3600.0


def main(command: str, given: str) -> None:
    """Do it, and print the answer."""
    answer = _COMMANDS[command](**json.loads(given))
    json.dump(answer, sys.stdout)


def http(*, method: str, url: str, headers: dict[str, str], body: str | None = None, file: str | None = None) -> Json:
    """Send a request; gives status, headers and body, also of a refusal. `file`: its path here, sent as the body."""
    data = Path(file).read_bytes() if file else body.encode() if body is not None else None
    request = urllib.request.Request(url, data, headers, method=method)
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return _answer(answer.status, dict(answer.headers), answer.read())
    except urllib.error.HTTPError as error:
        return _answer(error.code, dict(error.headers), error.read())


def _answer(status: int, headers: dict[str, str], body: bytes) -> Json:
    return {"status": status, "headers": headers, "size": len(body), "body": body[:200_000].decode(errors="replace")}


def start_load(*, url: str, plan: Json, clip: str | None) -> Json:
    """Start the load generator as a process of its own, which goes on when this call is over."""
    folder = _folder(plan["seed"])
    folder.mkdir(parents=True)
    given = json.dumps({"url": url, "plan": plan, "clip": clip})
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "mediaflow_k8s.in_pod", "run-load", given],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
    (folder / "pid").write_text(str(process.pid))
    return {"pid": process.pid}


def run_load(*, url: str, plan: Json, clip: str | None) -> Json:
    """Upload until SIGTERM; then see to what is open, and write down how every answer was."""
    from mediaflow_chaos.load import LoadGenerator, LoadPlan

    folder, stopping = _folder(plan["seed"]), threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: stopping.set())
    content = Path(clip).read_bytes() if clip else b""
    generator = LoadGenerator(url, folder / "uploads.jsonl", LoadPlan(**plan), content)
    generator.start()
    stopping.wait(_LONGEST_LOAD_S)
    generator.stop(30.0)
    answers = folder / "answers.json.part"
    answers.write_text(json.dumps(generator.answers))
    answers.rename(folder / "answers.json")
    return {}


def stop_load(*, seed: int, wait_s: float) -> Json:
    """Stop it; gives its answers by kind, once it has seen to what was open. `wait_s`: seconds for that."""
    folder = _folder(seed)
    with suppress(ProcessLookupError):
        os.kill(int((folder / "pid").read_text()), signal.SIGTERM)
    deadline = time.monotonic() + wait_s
    while not (folder / "answers.json").exists():
        if time.monotonic() > deadline:
            return {"error": "the load generator did not end: " + (folder / "log").read_text()[-2000:]}
        time.sleep(0.2)
    answers: Json = json.loads((folder / "answers.json").read_text())
    return {"answers": answers, "book": (folder / "uploads.jsonl").read_text()}


def traffic() -> Json:
    """Tell depth and counters of every queue, and how many events wait in the outbox."""
    queues = _management().queue_traffic()
    return {
        "queues": {
            name: {**asdict(depth), "counters": asdict(counters) if counters else None}
            for name, (depth, counters) in queues.items()
        },
        "outbox": sum(1 for _ in _outbox_keys()),
    }


def evidence(*, seed: int, channels: list[str]) -> Json:
    """Gather all that a load left behind: results, what workers were seen to do, dead letters, what still waits."""
    from mediaflow_chaos.queues import messages_in

    from mediaflow_k8s.observer import PREFIX, line_of

    store, amqp_url = _store(), os.environ["AMQP_URL"]
    bursts = _bursts(f"chaos-burst-{seed}-")
    mine = (f"chaos-{seed}-", *(f"{burst}-" for burst in bursts.values()))
    keys = [key for key in store.list_keys("assets/") if key.split("/")[1].startswith(mine)]
    lines = [line for key in store.list_keys(PREFIX) if (line := line_of(key)) and line["asset"].startswith(mine)]
    depths = _management().queue_depths()
    found = {}
    for channel in channels:
        queue, dead = f"media.{channel}", f"media.{channel}.dlq"
        found[channel] = {
            "results": {
                key.split("/")[1]: (store.get_json(key) or {}).get("eventId", "")
                for key in keys
                if key.endswith(f"/{channel}/result.json")
            },
            "dead_letters": [asdict(each) for each in messages_in(amqp_url, dead)] if depths[dead].total else [],
            "waiting": [asdict(each) for each in messages_in(amqp_url, queue)] if depths[queue].total else [],
            "counted": depths[queue].total,
        }
    outbox = [store.get_json(key) for key in _outbox_keys()]
    return {
        "channels": found,
        "observed": lines,
        "bursts": bursts,
        "outbox": [each["event"] for each in outbox if each],
    }


def observed(*, prefix: str, channel: str) -> Json:
    """Give what workers of a channel were seen to do with assets whose id begins so."""
    from mediaflow_k8s.observer import PREFIX, line_of

    lines = map(line_of, _store().list_keys(f"{PREFIX}{channel}/"))
    return {"lines": [line for line in lines if line and line["asset"].startswith(prefix)]}


def ends(*, prefix: str, channels: list[str]) -> Json:
    """Count how many assets whose id begins so are done, and how many were given up, in each channel."""
    keys = [key.split("/") for key in _store().list_keys("assets/") if key.startswith(f"assets/{prefix}")]

    def count(channel: str, name: str) -> int:
        return sum(1 for key in keys if key[2:] == [channel, name])

    return {
        channel: {"done": count(channel, "result.json"), "failed": count(channel, "failure.json")}
        for channel in channels
    }


def _bursts(owners: str) -> dict[str, str]:
    records = (_store().get_json(key) for key in _store().list_keys("bursts/") if key.endswith(".json"))
    return {each["ownerId"]: each["burstId"] for each in records if each and each["ownerId"].startswith(owners)}


def _outbox_keys() -> list[str]:
    return [key for folder in ("outbox/", "intents/") for key in _store().list_keys(folder) if key.endswith(".json")]


def _folder(seed: int) -> Path:
    return WORK / f"load-{seed}"


def _store() -> Any:
    from media_common.settings import StoreSettings
    from media_common.store import open_store

    return open_store(StoreSettings())


def _management() -> Any:
    from mq_common.management import ManagementClient

    vhost = unquote(urlsplit(os.environ["AMQP_URL"]).path[1:]) or "/"
    return ManagementClient(os.environ["MEDIAFLOW_MANAGEMENT_URL"], vhost=vhost, timeout_s=15)


_COMMANDS: dict[str, Callable[..., Json]] = {
    "http": http,
    "start-load": start_load,
    "run-load": run_load,
    "stop-load": stop_load,
    "traffic": traffic,
    "evidence": evidence,
    "observed": observed,
    "ends": ends,
}

if __name__ == "__main__":
    main(*sys.argv[1:])
