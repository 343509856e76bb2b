"""The last scenario: the cluster's Prometheus reads all of the fleet, runs every rule and fills every panel."""

from collections.abc import Callable

from mediaflow_k8s.installation import Installation
from mediaflow_k8s.kubectl import Json, until
from mediaflow_k8s.prometheus import Prometheus, scrape_pools
from mediaflow_k8s.step import NotPlayed, StepFailed, burst, expect
from mediaflow_k8s.tables import aligned
from promql_names import GRAFANA, panel_expressions

_RULES = "prometheusrules.monitoring.coreos.com"
#: Seconds for Prometheus to read a target that is new, and to run a rule.
_SEEN_S = 120.0
#: Assets that give the panels something to show.
_SOME = 60
#: Panels of what is not switched on: a load test, and a capacity of the front door.
_OFF = ("Mediaflow: load test /", "Mediaflow: application / Back-pressure /")


def monitored(fleet: Installation) -> str:
    """Scenario 10."""
    release = fleet.parameters.release
    found = fleet.kubectl.exists("customresourcedefinition", _RULES) and fleet.kubectl.items(_RULES, release=release)
    server = Prometheus.find(fleet.kubectl)
    if not found or server is None:
        raise NotPlayed("it takes monitoring.enabled=true, and a Prometheus of the Prometheus Operator in the cluster")
    burst(fleet, _SOME)
    targets = _targets(fleet, server)
    rules = _rules(fleet, server, found[0]["metadata"]["name"])
    return f"{targets}\n\n{rules}\n{_panels(fleet, server)}"


def _await_none(fleet: Installation, faults: Callable[[], list[str]]) -> None:
    """Wait until there is no fault left. Raises StepFailed with those that stay."""
    left: list[str] = []

    def none_left() -> bool:
        left[:] = faults()
        return not left

    try:
        until(none_left, "no fault", fleet.parameters.limit(_SEEN_S), 2.0)
    except TimeoutError:
        raise StepFailed("; ".join(left)) from None


def _targets(fleet: Installation, server: Prometheus) -> str:
    pools = sorted(scrape_pools(fleet))
    expect(pools, "the release has no monitors")

    def unread() -> list[str]:
        targets = server.targets()
        silent = [f"{pool} has no target" for pool in pools if pool not in targets]
        return silent + [f"{url}: {why}" for pool in pools for url, why in targets.get(pool, {}).items() if why]

    _await_none(fleet, unread)
    targets = server.targets()
    return aligned([("what Prometheus reads", "targets"), *((pool, str(len(targets[pool]))) for pool in pools)])


def _rules(fleet: Installation, server: Prometheus, name: str) -> str:
    def rules() -> list[Json]:
        return server.rules(name, fleet.parameters.namespace)

    def faulty() -> list[str]:
        if not (known := rules()):
            return [f"Prometheus has no rules of {name}"]
        return [f"{each['name']}: {each.get('lastError') or 'not run yet'}" for each in known if each["health"] != "ok"]

    _await_none(fleet, faulty)
    run = rules()
    firing = sorted(rule["name"] for rule in run if rule["state"] == "firing")
    return f"{len(run)} alerts are watched for; now firing: {', '.join(firing) or 'none'}"


def _panels(fleet: Installation, server: Prometheus) -> str:
    meant = {"$__rate_interval": "2m", "$namespace": fleet.parameters.namespace, "$release": fleet.parameters.release}
    panels = [each for each in panel_expressions(GRAFANA | meant) if not each[0].startswith(_OFF)]

    def empty() -> list[str]:
        return [f"nothing in {panel}" for panel, words in panels if not server.ask("query", query=words)["result"]]

    _await_none(fleet, empty)
    return f"all {len(panels)} queries of the dashboards for queues and for the application have something to show"
