"""How the number of workers follows the queue, and with which delays."""

from dataclasses import dataclass, replace

from console.control.fleet_control import ChannelWorkers
from mq_common.channels import ChannelSpec

#: The local fleet's autoscaler looks every two seconds; the figures it sees are a second old at most
#: (local_fleet.autoscaler; a test keeps them equal).
LOCAL_POLL_S = 2.0
LOCAL_FIGURES_AGE_S = 1.0

#: On Kubernetes the horizontal autoscaler looks every 15 seconds, the broker's figures are up to five seconds old, and
#: it waits five minutes before it goes down unless told otherwise.
KUBERNETES_POLL_S = 15.0
KUBERNETES_FIGURES_AGE_S = 5.0
KUBERNETES_COOLDOWN_S = 300.0
#: The horizontal autoscaler leaves the number as it is while it is right to a tenth.
KUBERNETES_TOLERANCE = 0.1


@dataclass(frozen=True, slots=True)
class ScalingRule:
    """⌈(ready + unacked) / target⌉ workers, between fewest and most; or as many as there are, where ``follows`` is off.

    poll_s: seconds between two looks. figures_age_s: how old what it sees may be. cooldown_s: seconds for which fewer
    must have been enough before some go.
    """

    target: int
    fewest: int
    most: int
    poll_s: float
    figures_age_s: float
    cooldown_s: float
    follows: bool = True
    #: A number of workers is kept while the queue is within this share of what it stands for (the HPA's own is 0.1).
    tolerance: float = 0.0

    def with_choice(self, target: int, most: int) -> "ScalingRule":
        """Give the same rule with another target and maximum; it follows the queue then."""
        return replace(self, target=target, fewest=min(self.fewest, most), most=most, follows=True)


def rule_of(spec: ChannelSpec, workers: ChannelWorkers | None, kind: str, cooldown_s: float) -> ScalingRule:
    """Give the rule a channel is scaled by now. ``cooldown_s``: of the local autoscaler."""
    on_kubernetes = kind == "kubernetes"
    return ScalingRule(
        target=spec.messages_per_worker,
        fewest=workers.minimum if workers else spec.workers.min,
        most=max(1, workers.maximum if workers else spec.workers.max),
        poll_s=KUBERNETES_POLL_S if on_kubernetes else LOCAL_POLL_S,
        figures_age_s=KUBERNETES_FIGURES_AGE_S if on_kubernetes else LOCAL_FIGURES_AGE_S,
        cooldown_s=KUBERNETES_COOLDOWN_S if on_kubernetes else cooldown_s,
        follows=workers is not None and workers.scaled_by != "hand" and not workers.held,
        tolerance=KUBERNETES_TOLERANCE if on_kubernetes else 0.0,
    )
