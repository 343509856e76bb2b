"""The last scenario: the cluster's Prometheus reads all of the fleet, runs every rule and fills every panel."""

from mediaflow_k8s.installation import Installation
from mediaflow_k8s.kubectl import until
from mediaflow_k8s.prometheus import Prometheus, scrape_pools
from mediaflow_k8s.step import NotPlayed, expect
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
    answer = fleet.door.burst(_SOME)
    expect(answer["status"] == 202, f"the burst was answered {answer['status']}: {answer['body']}")
    targets = _targets(fleet, server)
    rules = _rules(server, found[0]["metadata"]["name"], fleet.parameters.namespace)
    return f"{targets}\n\n{rules}\n{_panels(fleet, server)}"


def _targets(fleet: Installation, server: Prometheus) -> str:
    pools = sorted(scrape_pools(fleet))

    def read() -> bool:
        targets = server.targets()
        return all(targets.get(pool) and not any(targets[pool].values()) for pool in pools)

    try:
        until(read, "every target", fleet.parameters.limit(_SEEN_S), 2.0)
    except TimeoutError:
        targets = server.targets()
        silent = [f"{pool} has no target" for pool in pools if not targets.get(pool)]
        silent += [f"{url}: {error}" for pool in pools for url, error in targets.get(pool, {}).items() if error]
        expect(not silent, "; ".join(silent))
    targets = server.targets()
    return aligned([("what Prometheus reads", "targets"), *((pool, str(len(targets[pool]))) for pool in pools)])


def _rules(server: Prometheus, name: str, namespace: str) -> str:
    run = until(lambda: _run(server, name, namespace), f"a first run of the rules of {name}", _SEEN_S, 2.0)
    faulty = [f"{rule['name']}: {rule['lastError']}" for rule in run if rule["health"] != "ok"]
    expect(not faulty, "; ".join(faulty))
    firing = sorted(rule["name"] for rule in run if rule["state"] == "firing")
    return f"{len(run)} alerts are watched for; now firing: {', '.join(firing) or 'none'}"


def _run(server: Prometheus, name: str, namespace: str) -> list[dict[str, str]]:
    found = server.rules(name, namespace)
    return found if all(rule["health"] != "unknown" for rule in found) else []


def _panels(fleet: Installation, server: Prometheus) -> str:
    meant = {"$__rate_interval": "2m", "$namespace": fleet.parameters.namespace, "$release": fleet.parameters.release}
    panels = [each for each in panel_expressions(GRAFANA | meant) if not each[0].startswith(_OFF)]
    empty = dict(panels)

    def filled() -> bool:
        for panel, expression in list(empty.items()):
            if server.ask("query", query=expression)["result"]:
                del empty[panel]
        return not empty

    try:
        until(filled, "every panel", fleet.parameters.limit(_SEEN_S), 2.0)
    except TimeoutError:
        expect(not empty, f"nothing to show in {'; '.join(empty)}")
    return f"all {len(panels)} queries of the dashboards for queues and for the application have something to show"
