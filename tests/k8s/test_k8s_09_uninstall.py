"""Uninstalled: what the notes say stays, and nothing else."""

from mediaflow_k8s.client_pod import NAME
from mediaflow_k8s.installation import Installation
from mediaflow_k8s.kubectl import until
from mediaflow_k8s.leftovers import own_objects, unannounced


def test_uninstalled_it_leaves_what_the_notes_say_and_nothing_else(mediaflow: Installation) -> None:
    kubectl, notes = mediaflow.kubectl, mediaflow.helm.notes()
    for kind in ("pod", "configmap"):
        kubectl.run("delete", kind, NAME, "--ignore-not-found")
    kubectl.run("delete", "networkpolicy", f"{NAME}-in", f"{NAME}-out", "--ignore-not-found")

    mediaflow.helm.uninstall(limit_s=mediaflow.parameters.limit(300))

    def gone() -> bool:
        return not any(name.startswith("pod/") for name in mediaflow.objects())

    until(gone, "the end of every pod", mediaflow.parameters.limit(300))
    until(
        lambda: not unannounced(mediaflow.before, mediaflow.objects(), notes),
        f"a clean namespace (left: {sorted(own_objects(mediaflow.objects()) - own_objects(mediaflow.before))})",
        mediaflow.parameters.limit(60),
    )
    cluster_wide = "clusterroles,clusterrolebindings,priorityclasses,customresourcedefinitions"
    found = kubectl.run(
        "get", cluster_wide, "-o", "name", "-l", f"app.kubernetes.io/instance={mediaflow.parameters.release}"
    )
    assert found.strip() == ""
