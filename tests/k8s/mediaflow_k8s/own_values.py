"""The values with which the run installs the chart. Pure."""

from typing import Any

from mediaflow_k8s.client_pod import OBSERVER_PATH
from mediaflow_k8s.parameters import Parameters

Values = dict[str, Any]

CHANNELS = ("thumbnail", "transcode", "subtitle")
#: Share of the assets whose subtitles fail for good, always the same ones.
FAILURE_RATE = 0.1
#: Seconds for which fewer workers have to be enough before some go. Production waits longer.
CALM_S = 15

#: Enough to be scheduled anywhere; what a job takes it may take.
_SMALL = {"requests": {"cpu": "10m", "memory": "64Mi"}}


def own_values(parameters: Parameters, observer_volume: Values) -> Values:
    """Give simulated providers with the article's latencies, small requests, and workers that are observed."""
    return {
        "image": {"registry": parameters.registry, "tag": parameters.tag},
        "profile": "simulated",
        "channels": {
            "thumbnail": _channel({"min": 1, "max": 2}, failure_rate=0.0, memory="1Gi"),
            "transcode": _channel({"min": parameters.fewest, "max": parameters.most}, failure_rate=0.0, memory="3Gi"),
            "subtitle": _channel({"min": 1, "max": 2}, failure_rate=FAILURE_RATE, memory="2Gi"),
        },
        "workers": {
            "extraVolumes": [observer_volume],
            "extraVolumeMounts": [{"name": observer_volume["name"], "mountPath": OBSERVER_PATH, "readOnly": True}],
            "scratchSize": "2Gi",
        },
        "keda": {
            "behavior": {
                "scaleUp": {
                    "stabilizationWindowSeconds": 0,
                    "policies": [{"type": "Pods", "value": parameters.most, "periodSeconds": 5}],
                },
                "scaleDown": {
                    "stabilizationWindowSeconds": CALM_S,
                    "policies": [{"type": "Percent", "value": 100, "periodSeconds": 5}],
                },
            }
        },
        # Its HPA would need a metrics server.
        "ingest": {"autoscaling": {"enabled": False}, "replicas": 2, "allowSimulated": True, "resources": _SMALL},
        "console": {"resources": _SMALL},
        "replayer": {"resources": _SMALL},
        "topology": {"resources": _SMALL},
        "rabbitmq": {
            "replicas": parameters.brokers,
            "storage": {"size": "1Gi"},
            "diskFreeLimit": "100MB",
            "resources": {"requests": {"cpu": "50m", "memory": "256Mi"}, "limits": {"memory": "1Gi"}},
        },
        "store": {"builtin": {"size": "2Gi", "resources": _SMALL}},
    }


def repaired_provider() -> Values:
    """Give what has to be said for subtitles to fail no more."""
    return {"channels": {"subtitle": {"profiles": {"simulated": {"simulated": {"failureRate": 0.0}}}}}}


def _channel(workers: dict[str, int], *, failure_rate: float, memory: str) -> Values:
    return {
        "env": {"PYTHONPATH": OBSERVER_PATH},
        "resources": _SMALL | {"limits": {"memory": memory}},
        "profiles": {"simulated": {"workers": workers, "simulated": {"failureRate": failure_rate}}},
    }
