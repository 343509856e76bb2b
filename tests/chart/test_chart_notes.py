"""What helm says after an installation: what to do next, in words that hold for this one."""

import json
import re
import subprocess
from pathlib import Path

import pytest

from chart_combinations import BROKERS, STORES
from rendered_chart import CHART, Json, at, merged

#: How commands name objects: `svc/name`, `get secret name`.
NAMED = re.compile(r"\b(svc|service|deployment|deploy|statefulset|cronjob|secret|pvc)[/ ]([a-z0-9][a-z0-9.-]+)")
KINDS = {
    **{"svc": "Service", "service": "Service", "deployment": "Deployment", "deploy": "Deployment"},
    **{"statefulset": "StatefulSet", "cronjob": "CronJob", "secret": "Secret", "pvc": "PersistentVolumeClaim"},
}

CASES: dict[str, Json] = {
    **{f"{broker} broker": values for broker, values in BROKERS.items()},
    **{f"{store} store": values for store, values in STORES.items()},
    "simulated, with KEDA": {"profile": "simulated", "keda": {"enabled": True}},
    "no console": {"console": {"enabled": False}},
    "ingress": {"ingest": {"ingress": {"enabled": True}}, "console": {"ingress": {"enabled": True}}},
    "node ports": {"ingest": {"service": {"type": "NodePort", "nodePort": 30080}}},
    "console's own Secret": {"console": {"existingSecret": "our-console"}},
}


def installed(helm: Path, values: Json, folder: Path) -> tuple[str, str]:
    """Give the notes and the manifests of an installation that is only tried."""
    command = [str(helm), "install", "films", str(CHART), "--dry-run=client", "--namespace", "media", "-o", "json"]
    done = subprocess.run(
        [*command, "--values", "-"],
        input=json.dumps(values),
        env={"HOME": str(folder), "KUBECONFIG": str(folder / "none")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    release = json.loads(done.stdout)
    hooks = "\n---\n".join(hook["manifest"] for hook in release.get("hooks") or [])
    return release["info"].get("notes", ""), release["manifest"] + hooks


@pytest.mark.parametrize("case", CASES)
def test_the_notes_speak_of_objects_that_there_are(helm: Path, tmp_path: Path, case: str) -> None:
    notes, manifest = installed(helm, CASES[case], tmp_path)

    assert "media" in notes
    named = NAMED.findall(notes)
    assert named
    users = {"our-console", "our-broker", "our-bucket"}
    for kind, name in named:
        if name in users or name.endswith("-default-user") or name in ("that", "with", "the", "and", "of"):
            continue
        assert re.search(rf"^kind: {KINDS[kind]}$(?:(?!^---).)*?^  name: {re.escape(name)}$", manifest, re.M | re.S), (
            f"{kind} {name} is no object of this release"
        )


def test_no_password_is_in_the_notes(helm: Path, tmp_path: Path) -> None:
    values = at("console.password", "a-planted-password")

    assert "a-planted-password" not in installed(helm, values, tmp_path)[0]


def test_the_notes_say_how_to_reach_what_there_is(helm: Path, tmp_path: Path) -> None:
    notes, _ = installed(helm, {}, tmp_path)
    assert "port-forward" in notes
    assert "helm test" in notes

    hosts = merged(at("ingest.ingress", {"enabled": True, "host": "films.example"}))
    assert "https://films.example" in installed(helm, hosts, tmp_path)[0]


@pytest.mark.parametrize(
    ("values", "address"),
    [
        ({}, "http://localhost:8080"),
        ({"ingest": {"service": {"type": "NodePort", "nodePort": 30080}}}, "http://NODE:30080"),
        ({"ingest": {"service": {"type": "NodePort"}}}, "http://NODE:PORT"),
        ({"ingest": {"ingress": {"enabled": True, "host": "films.example"}}}, "https://films.example"),
    ],
)
def test_the_notes_upload_to_where_the_front_door_is(helm: Path, tmp_path: Path, values: Json, address: str) -> None:
    notes, _ = installed(helm, merged({"ingest": {"allowSimulated": True}}, values), tmp_path)

    assert set(re.findall(r"(\S+?)/media/(?:upload|burst)", notes.replace("'", " "))) == {address}
