"""What the console may do on Kubernetes: the least it needs, which the chart renders as its Role."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule of a Role."""

    group: str
    resource: str
    verbs: tuple[str, ...]
    why: str


#: Every call that the console makes is allowed by one of these, and each of them is needed by some call.
#: Whether KEDA is there is asked of the API's discovery, which every account may read (system:discovery).
RULES = (
    Rule("apps", "deployments", ("list", "patch"), "see how many workers are wanted; pause and scale without KEDA"),
    Rule("", "pods", ("list", "patch"), "see the workers, and why one does not start; mark those that are busy"),
    Rule("keda.sh", "scaledobjects", ("list", "patch"), "see the bounds; pause, resume and hold by KEDA's annotations"),
    Rule("batch", "cronjobs", ("list",), "find the replayer's template"),
    Rule("batch", "jobs", ("list", "create", "delete"), "start, see and stop replays"),
    Rule("", "pods/log", ("get",), "read how far a replay is"),
)


def role_rules() -> list[dict[str, list[str]]]:
    """Give the rules as a Role's manifest has them."""
    return [{"apiGroups": [rule.group], "resources": [rule.resource], "verbs": list(rule.verbs)} for rule in RULES]
