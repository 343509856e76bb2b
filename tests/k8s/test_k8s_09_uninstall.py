"""Uninstalled: what the notes say stays, and nothing else."""

from mediaflow_k8s.client_pod import NAME
from mediaflow_k8s.installation import Installation
from mediaflow_k8s.kubectl import until
from mediaflow_k8s.leftovers import unannounced


def test_uninstalled_it_leaves_what_the_notes_say_and_nothing_else(mediaflow: Installation) -> None:
    kubectl, notes = mediaflow.kubectl, mediaflow.helm.notes()
    for kind in ("pod", "configmap"):
        kubectl.run("delete", kind, NAME, "--ignore-not-found")
    kubectl.run("delete", "networkpolicy", f"{NAME}-in", f"{NAME}-out", "--ignore-not-found")

    mediaflow.helm.uninstall(limit_s=mediaflow.parameters.limit(300))

    def left() -> list[str]:
        return unannounced(mediaflow.before, mediaflow.objects(), notes)

    try:  # workers finish what they hold, a broker hands over
        until(
            lambda: not left(),
            "a namespace with nothing in it but what the notes name",
            mediaflow.parameters.limit(300),
        )
    except TimeoutError as late:
        raise AssertionError(f"{late}: {left()}") from None
    cluster_wide = "clusterroles,clusterrolebindings,priorityclasses,customresourcedefinitions"
    found = kubectl.run(
        "get", cluster_wide, "-o", "name", "-l", f"app.kubernetes.io/instance={mediaflow.parameters.release}"
    )
    assert found.strip() == ""
