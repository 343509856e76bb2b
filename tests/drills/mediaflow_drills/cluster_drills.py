"""Drills of the alerts that only a cluster can make fire; OPERATIONS.md says the same in kubectl's words."""

import json
from collections.abc import Iterator

from mediaflow_drills.cluster_stage import ClusterStage
from mediaflow_drills.drills import Again, drill


@drill("MediaflowScaledObjectNotReady", stage="cluster")
def _a_queue_that_is_not_there(stage: ClusterStage) -> Iterator[Again]:
    """A ScaledObject reads a queue that there is not."""
    with stage.mended_afterwards():
        wrong = {"op": "replace", "path": "/spec/triggers/0/metadata/queueName", "value": "media.nowhere"}
        name = stage.fleet.scaled_object("subtitle")["metadata"]["name"]
        stage.kubectl("patch", f"scaledobject/{name}", "--type=json", "-p", json.dumps([wrong]))
        yield lambda: None


@drill("MediaflowPodsRestart", stage="cluster")
def _a_worker_without_memory(stage: ClusterStage) -> Iterator[Again]:
    """A worker gets less memory than it needs to start."""
    with stage.mended_afterwards():
        stage.kubectl("set", "resources", stage.worker("thumbnail"), "--limits=memory=24Mi", "--requests=memory=24Mi")
        yield lambda: None


@drill("MediaflowPodsNotReady", stage="cluster")
def _an_image_that_is_not_there(stage: ClusterStage) -> Iterator[Again]:
    """A worker's image can't be had."""
    with stage.mended_afterwards():
        stage.kubectl("set", "image", stage.worker("thumbnail"), "worker=registry.invalid/none")
        yield lambda: None
