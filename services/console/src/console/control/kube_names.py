"""Labels and annotations by which the console and the chart know each other's objects. The chart renders the labels."""

#: On everything of a release: its name, and what the object is for.
INSTANCE = "app.kubernetes.io/instance"
COMPONENT = "app.kubernetes.io/component"

#: Component of the Deployments that work on a channel, of their pods, and of their ScaledObjects.
WORKER = "worker"
#: Component of the suspended CronJob, and of the Jobs that are made from it and their pods.
REPLAYER = "replayer"

#: On a channel's Deployment, its pods and its ScaledObject, and on a replay's Job: the channel.
CHANNEL = "mediaflow.io/channel"

#: On a Deployment that nothing scales: the channel's fewest and most workers, for people to see.
MINIMUM = "mediaflow.io/min-workers"
MAXIMUM = "mediaflow.io/max-workers"

#: On a Deployment that was paused: how many replicas it goes on with. The console writes it.
BEFORE_PAUSE = "mediaflow.io/replicas-before-pause"
#: On a ScaledObject that was paused while held by hand, or scaled while paused: where it is held again afterwards.
HELD_BEFORE_PAUSE = "mediaflow.io/held-before-pause"

#: KEDA's own: no autoscaling, at this many replicas; no autoscaling, as it is.
KEDA_PAUSED_REPLICAS = "autoscaling.keda.sh/paused-replicas"
KEDA_PAUSED = "autoscaling.keda.sh/paused"

#: On a replay's Job: what was asked for, as JSON.
REPLAY_REQUEST = "mediaflow.io/replay-request"

#: Kubernetes' own, on a pod: of two that are as ready, a scale-down takes the one with the lower number; without it, 0.
DELETION_COST = "controller.kubernetes.io/pod-deletion-cost"

#: Names of container ports at which a worker's metrics are read, best first.
METRICS_PORTS = ("metrics", "health", "http")


def selector(release: str, component: str, **labels: str) -> str:
    """Give the label selector of a release's objects; underscores in `labels` are not translated."""
    wanted = {INSTANCE: release, COMPONENT: component} | labels
    return ",".join(f"{name}={value}" for name, value in wanted.items())
