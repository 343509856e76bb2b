"""The number of workers set by hand: with kubectl where nothing else scales, and held beside KEDA."""

from mediaflow_k8s.installation import Installation

_PAUSED_REPLICAS, _PAUSED = "autoscaling.keda.sh/paused-replicas", "autoscaling.keda.sh/paused"


def test_kubectl_scale_sets_the_number_of_workers_where_nothing_else_does(mediaflow: Installation) -> None:
    """With KEDA it is told to leave the channel alone first, as its own documentation says."""
    kubectl, name = mediaflow.kubectl, mediaflow.workers("thumbnail")["metadata"]["name"]
    if mediaflow.has_keda:
        scaler = f"scaledobject/{mediaflow.scaled_object('thumbnail')['metadata']['name']}"
        kubectl.run("annotate", scaler, f"{_PAUSED}=true", "--overwrite")
    try:
        kubectl.run("scale", f"deployment/{name}", "--replicas=3")
        mediaflow.await_workers("thumbnail", 3)
        kubectl.run("scale", f"deployment/{name}", "--replicas=1")
        mediaflow.await_workers("thumbnail", 1)
    finally:
        if mediaflow.has_keda:
            kubectl.run("annotate", scaler, f"{_PAUSED}-")


def test_keda_holds_the_number_that_it_is_told_and_takes_over_again(keda: Installation) -> None:
    scaler = f"scaledobject/{keda.scaled_object('thumbnail')['metadata']['name']}"
    try:
        keda.kubectl.run("annotate", scaler, f"{_PAUSED_REPLICAS}=3", "--overwrite")
        keda.await_workers("thumbnail", 3)
    finally:
        keda.kubectl.run("annotate", scaler, f"{_PAUSED_REPLICAS}-")
    keda.await_workers("thumbnail", 1)


def test_the_console_sets_the_number_of_workers_and_gives_it_back(mediaflow: Installation) -> None:
    fewest = mediaflow.fewest_workers("subtitle")

    mediaflow.console.scale("subtitle", 2)

    mediaflow.await_workers("subtitle", 2)
    if mediaflow.has_keda:
        mediaflow.console.resume("subtitle")
    else:
        mediaflow.console.scale("subtitle", fewest)
    mediaflow.await_workers("subtitle", fewest)
