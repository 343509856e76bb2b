"""A release's objects as its chart makes them, and what controllers and kubelet write on them. For KubeCluster."""

from typing import Any

from kube_cluster import NODE, RELEASE, KubeCluster

Json = dict[str, Any]

_NOW = "2026-11-30T12:00:00Z"


def labels(component: str, channel: str | None = None) -> Json:
    named = {"mediaflow.io/channel": channel} if channel else {}
    return {"app.kubernetes.io/instance": RELEASE, "app.kubernetes.io/component": component} | named


def pod_template(component: str, channel: str | None = None, **container: Any) -> Json:
    ports = [{"name": "metrics", "containerPort": 9100}]
    spec = {"containers": [{"name": component, "image": "mediaflow/x:1", "ports": ports} | container]}
    return {"metadata": {"labels": labels(component, channel)}, "spec": spec}


def add_deployment(cluster: KubeCluster, channel: str, replicas: int = 2, **annotations: str) -> None:
    name = f"{RELEASE}-{channel}"
    metadata = {"name": name, "labels": labels("worker", channel), "annotations": annotations}
    spec = {
        "replicas": replicas,
        "selector": {"matchLabels": labels("worker", channel)},
        "template": pod_template("worker", channel),
    }
    body = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": metadata, "spec": spec}
    cluster.ask("POST", cluster.path("apps", "deployments"), body)


def add_scaled_object(cluster: KubeCluster, channel: str, **annotations: str) -> None:
    name = f"{RELEASE}-{channel}"
    body = {
        "apiVersion": "keda.sh/v1alpha1",
        "kind": "ScaledObject",
        "metadata": {"name": name, "labels": labels("worker", channel), "annotations": annotations},
        "spec": {"scaleTargetRef": {"name": name}, "minReplicaCount": 2, "maxReplicaCount": 8, "triggers": []},
    }
    cluster.ask("POST", cluster.path("keda.sh", "scaledobjects"), body)


def add_cron_job(cluster: KubeCluster) -> None:
    body = {
        "apiVersion": "batch/v1",
        "kind": "CronJob",
        "metadata": {"name": f"{RELEASE}-replayer", "labels": labels("replayer")},
        "spec": {
            "schedule": "0 0 1 1 *",
            "suspend": True,
            "jobTemplate": {
                "metadata": {"labels": {"team": "media"}},
                "spec": {"template": pod_template("replayer", env=[{"name": "AMQP_URL", "value": "amqp://x"}])},
            },
        },
    }
    body["spec"]["jobTemplate"]["spec"]["template"]["spec"]["restartPolicy"] = "OnFailure"
    cluster.ask("POST", cluster.path("batch", "cronjobs"), body)


def add_pod(cluster: KubeCluster, name: str, component: str, channel: str, status: Json, **more: str) -> None:
    """A pod with its status, as its kubelet would tell it."""
    template = pod_template(component, channel)
    metadata = {"name": name, "labels": template["metadata"]["labels"] | more}
    spec = template["spec"] | {"nodeName": NODE, "terminationGracePeriodSeconds": 30}
    body = {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}
    cluster.ask("POST", cluster.path("", "pods"), body)
    set_pod_status(cluster, name, status)


def set_pod_status(cluster: KubeCluster, name: str, status: Json) -> None:
    cluster.merge(f"{cluster.path('', 'pods', name)}/status", {"status": status})


def running(*, ready: bool = True, restarts: int = 0, container: str = "worker", **more: Any) -> Json:
    state = {"running": {"startedAt": _NOW}}
    conditions = [{"type": "Ready", "status": str(ready), "lastTransitionTime": "2026-11-30T12:00:09Z"}]
    return {
        "phase": "Running",
        "podIP": "10.1.2.3",
        "podIPs": [{"ip": "10.1.2.3"}],
        "conditions": conditions,
        "containerStatuses": [container_status(state, ready=ready, restarts=restarts, name=container, **more)],
    }


def waiting(reason: str, message: str = "", container: str = "worker", **more: Any) -> Json:
    state = {"waiting": {"reason": reason} | ({"message": message} if message else {})}
    return {"phase": "Pending", "containerStatuses": [container_status(state, name=container, **more)]}


def ended(code: int, container: str = "worker", **more: Any) -> Json:
    state = {"terminated": {"exitCode": code, "startedAt": _NOW, "finishedAt": _NOW} | more}
    phase = "Failed" if code else "Succeeded"
    return {"phase": phase, "containerStatuses": [container_status(state, name=container)]}


def container_status(state: Json, *, ready: bool = False, restarts: int = 0, name: str = "worker", **more: Any) -> Json:
    image = {"image": "mediaflow/x:1", "imageID": "sha256:0"}
    return {"name": name, "ready": ready, "restartCount": restarts, "state": state} | image | more


def end_job(cluster: KubeCluster, name: str, condition: str) -> None:
    """What the Job controller writes when a Job is over; `condition`: Complete or Failed."""
    passed = {"type": condition, "status": "True", "lastTransitionTime": "2026-11-30T12:05:00Z", "lastProbeTime": _NOW}
    before = "SuccessCriteriaMet" if condition == "Complete" else "FailureTarget"
    status: Json = {
        "startTime": _NOW,
        "conditions": [passed | {"type": before}, passed | {"reason": "Told", "message": "told"}],
    }
    status |= {"completionTime": "2026-11-30T12:05:00Z", "succeeded": 1} if condition == "Complete" else {"failed": 1}
    cluster.merge(f"{cluster.path('batch', 'jobs', name)}/status", {"status": status})


def collect_job(cluster: KubeCluster, name: str) -> None:
    """What the garbage collector does once the pods of a Job that is being deleted are gone."""
    cluster.merge(cluster.path("batch", "jobs", name), {"metadata": {"finalizers": None}})
