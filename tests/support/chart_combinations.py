"""The values that the chart is rendered with in tests: every way to run broker and store, with and without the rest."""

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from itertools import product

from rendered_chart import CHART, KEDA, PROMETHEUS, Json, Rendering, merged

BROKERS: dict[str, Json] = {
    "builtin": {},
    "operator": {"rabbitmq": {"mode": "operator"}},
    "external": {
        "rabbitmq": {
            "mode": "external",
            "external": {"existingSecret": "our-broker", "managementHost": "http://rabbitmq.example:15672"},
        }
    },
}
STORES: dict[str, Json] = {
    "builtin": {},
    "s3": {"store": {"mode": "s3", "s3": {"bucket": "films", "existingSecret": "our-bucket"}}},
    "pvc": {"store": {"mode": "pvc"}},
}

#: All that is optional, left out.
BARE: Json = {
    "console": {"enabled": False},
    "networkPolicy": {"enabled": False},
    "podDisruptionBudget": {"enabled": False},
    "ingest": {"autoscaling": {"enabled": False}, "outbox": False},
    "rabbitmq": {"replicas": 1, "antiAffinity": "off"},
    "workers": {"spread": False},
    "monitoring": {"dashboards": {"enabled": False}},
}

#: All that is optional, used.
DRESSED: Json = {
    "image": {"registry": "registry.example/films/", "tag": "1.2.3", "pullSecrets": ["our-registry"]},
    "commonLabels": {"team": "films"},
    "log": {"format": "console", "level": "debug"},
    "ingest": {
        "capacity": 300,
        "allowSimulated": True,
        "env": {"MEDIAFLOW_INGEST_THREADS": "8"},
        "ingress": {"enabled": True, "className": "nginx", "annotations": {"nginx/proxy-body-size": "0"}},
        "service": {"type": "NodePort", "nodePort": 30080, "annotations": {"a/b": "c"}},
    },
    "console": {
        "existingSecret": "our-console",
        "ingress": {"enabled": True, "tls": {"enabled": True, "secretName": "our-certificate"}},
        "env": {"MEDIAFLOW_CONSOLE_TRUSTED_HOPS": "1"},
    },
    "workers": {
        "priorityClassName": "batch",
        "nodeSelector": {"disk": "fast"},
        "tolerations": [{"key": "spot", "operator": "Exists"}],
        "maxGraceSeconds": 900,
        "extraVolumes": [{"name": "model", "persistentVolumeClaim": {"claimName": "our-model"}}],
        "extraVolumeMounts": [{"name": "model", "mountPath": "/models", "readOnly": True}],
    },
    "rabbitmq": {
        "antiAffinity": "required",
        "image": {"digest": f"sha256:{'0' * 64}"},
        "existingSecret": "our-own-broker",
        "logLevel": "debug",
        "extraConfig": "channel_max = 100",
        "priorityClassName": "important",
        "storage": {"className": "fast"},
        "nodeSelector": {"disk": "fast"},
        "tolerations": [{"key": "spot", "operator": "Exists"}],
    },
    "store": {
        "s3": {"endpoint": "https://s3.example", "prefix": "videos", "serveOutputs": "proxy"},
        "pvc": {"existingClaim": "our-volume"},
        "builtin": {
            "existingClaim": "our-volume",
            "existingSecret": "our-bucket",
            "sidecar": True,
            "nodeSelector": {"disk": "fast"},
            "tolerations": [{"key": "spot", "operator": "Exists"}],
        },
    },
    "trust": {"existingSecret": "our-authority"},
    "networkPolicy": {
        "kubernetesApiCidrs": ["10.0.0.1/32"],
        "brokerCidrs": ["10.1.0.0/16"],
        "storeCidrs": ["10.2.0.0/16"],
        "storePorts": [9000],
    },
    "channels": {"transcode": {"maxLength": 5000, "env": {"MEDIAFLOW_TRANSCODE_THREADS": "2"}}},
    "keda": {"fallbackReplicas": 3},
    "load": {"enabled": True},
}
SUITS: dict[str, Json] = {"plain": {}, "bare": BARE, "dressed": DRESSED}


@cache
def combinations() -> dict[str, Rendering]:
    """Give every rendering by a name that says what is special about it.

    KEDA, broker, store and monitoring in every combination. Profile and suit (what else is optional: left as it is,
    left out, used) change along, so that each of them meets each broker, each store, and monitoring and KEDA on and
    off.
    """
    return dict(_product()) | dict(_own_files()) | dict(_special())


def _product() -> Iterator[tuple[str, Rendering]]:
    for keda, monitoring in product((True, False), (True, False)):
        for (row, broker), (column, store) in product(enumerate(BROKERS), enumerate(STORES)):
            suit = list(SUITS)[(row + column + keda + monitoring) % 3]
            profile = ("media", "simulated")[(row + 2 * column + keda) % 2]
            values = merged({"profile": profile}, SUITS[suit], BROKERS[broker], STORES[store])
            if monitoring:
                values = merged(values, {"monitoring": {"enabled": True}})
            apis = (KEDA if keda else ()) + (PROMETHEUS if monitoring else ())
            said = f"{broker} broker, {store} store, {suit}, {profile}"
            yield f"{said}{', KEDA' * keda}{', monitoring' * monitoring}", Rendering(values, apis=apis)


def _own_files() -> Iterator[tuple[str, Rendering]]:
    for file in sorted(CHART.glob("values-*.yaml")):
        # What the file leaves to the user, and no more.
        needed: Json = {"store": {"s3": {"bucket": "films"}}} if "production" in file.name else {}
        for apis in ((), KEDA + PROMETHEUS):
            yield f"{file.name}{', all APIs' * bool(apis)}", Rendering(needed, files=(file.name,), apis=apis)


def _special() -> Iterator[tuple[str, Rendering]]:
    everything = KEDA + PROMETHEUS
    for version in ("1.29.0", "1.37.1"):
        yield f"Kubernetes {version}", Rendering(apis=everything, kubernetes=version)
    # The longest name that helm takes.
    long = merged(DRESSED, {"monitoring": {"enabled": True}})
    yield "a long release name", Rendering(long, apis=everything, release="a" * 50 + "-bc")
    yield "a name of the user's", Rendering({"fullnameOverride": "films-" * 9 + "films"}, apis=everything)
    yield "KEDA by force", Rendering({"keda": {"enabled": True}})
    yield "KEDA unwanted", Rendering({"keda": {"enabled": False}}, apis=everything)
    yield "a generated password and a certificate", Rendering({"console": {"ingress": {"enabled": True}}})
    yield "a bucket that the nodes may use", Rendering({"store": {"mode": "s3", "s3": {"bucket": "films"}}})


def render_all() -> None:
    """Render every combination; two at a time, since helm itself is one thread most of the time."""
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(Rendering.objects, combinations().values()))


@cache
def everything() -> tuple[tuple[str, Json], ...]:
    """Give every rendered object with the name of its combination; equal ones once. Nobody may change them."""
    seen: dict[str, tuple[str, Json]] = {}
    for name, rendering in combinations().items():
        for each in rendering.objects():
            seen.setdefault(json.dumps(each, sort_keys=True), (name, each))
    return tuple(seen.values())
