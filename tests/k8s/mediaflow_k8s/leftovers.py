"""What a release leaves in its namespace, and whether it said so. Pure."""

from collections.abc import Iterable

#: Kinds that the cluster makes by itself, and takes away in its own time.
_CLUSTERS_OWN = (
    *("event", "event.events.k8s.io", "endpoints", "endpointslice.discovery.k8s.io", "lease.coordination.k8s.io"),
    *("podmetrics.metrics.k8s.io", "pod.metrics.k8s.io"),
)
#: What the cluster puts into every namespace, a moment after it was made.
_IN_EVERY_NAMESPACE = ("configmap/kube-root-ca.crt", "serviceaccount/default")


def own_objects(names: Iterable[str]) -> frozenset[str]:
    """Give, of names as `kubectl get -o name` prints them, those that somebody made on purpose."""
    return frozenset(
        name for name in names if name.split("/")[0] not in _CLUSTERS_OWN and name not in _IN_EVERY_NAMESPACE
    )


def unannounced(before: Iterable[str], after: Iterable[str], notes: str) -> list[str]:
    """Give what is there after the release and was not before, and whose name the notes don't say."""
    new = own_objects(after) - own_objects(before)
    return sorted(name for name in new if not _said(name.split("/", 1)[1], notes))


def _said(name: str, notes: str) -> bool:
    words = {word.strip("`'\".,:;()").rpartition("/")[2] for word in notes.split()}
    # "data-mediaflow-rabbitmq-0 and so on": the claims of a StatefulSet are known by the first one.
    stem, dash, number = name.rpartition("-")
    return name in words or (number.isdigit() and bool(words & {f"{stem}{dash}0", f"{stem}{dash}*"}))
