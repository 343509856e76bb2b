"""Something is done to the fleet while clients upload; then the books are compared with what came of it."""

import secrets
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

from mediaflow_chaos.load import LoadPlan
from mediaflow_chaos.report import Report

from mediaflow_k8s.installation import Installation
from mediaflow_k8s.kubectl import until
from mediaflow_k8s.ledger import repeated, report_of
from mediaflow_k8s.own_values import CHANNELS, FAILURE_RATE
from mq_common.simulation import fails

#: Seconds of load before anything is done.
_WARM_UP_S = 3.0
#: Seconds for one upload's answer.
_ANSWER_S = 12.0
#: Seconds for queues to become empty afterwards: longer than the three minutes after which RabbitMQ tries a
#: dead-lettering again.
_DRAIN_S = 300.0
#: Seconds for a worker's pod to be replaced by a ready one.
_POD_BACK_S = 180.0

Deed = Callable[[], str]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a campaign gives."""

    report: Report
    #: Jobs that workers began more than once, by channel and asset (`ledger.repeated`).
    repeated: dict[tuple[str, str], int]


def under_load(
    installation: Installation,
    *deeds: Deed,
    failure_rate: float = FAILURE_RATE,
    keep_connections: bool = True,
    tell: Callable[[str], None] = print,
) -> Outcome:
    """Upload all the while, do one deed after the other, drain, and compare. A deed says what it did."""
    parameters, began = installation.parameters, time.monotonic()
    plan = LoadPlan(
        seed=secrets.randbelow(900_000) + 100_000,
        rate=parameters.rate,
        clients=6,
        one_in_is_file=0,
        one_in_is_burst=0,
        keep_connections=keep_connections,
        answer_limit_s=parameters.limit(_ANSWER_S),
    )
    client, done = installation.client, []
    client.ask("start-load", url=installation.door.url, plan=asdict(plan), clip=None)
    tell(f"seed {plan.seed}: {plan.rate:g} uploads a second")
    try:
        time.sleep(_WARM_UP_S)
        for deed in deeds:
            done.append(deed())
            tell(f"after {time.monotonic() - began:.0f} s: {done[-1]}")
        time.sleep(max(_WARM_UP_S, parameters.seconds - (time.monotonic() - began)))
    finally:
        wait_s = 60.0 + plan.answer_limit_s
        stopped = client.ask("stop-load", limit_s=wait_s + parameters.limit(30), seed=plan.seed, wait_s=wait_s)
    drained = installation.await_drained(_DRAIN_S)
    if not drained:
        _stop_workers(installation)
    gathered = client.ask("evidence", seed=plan.seed, channels=list(CHANNELS))

    def provider_fails(channel: str, asset: str) -> bool:
        return channel == "subtitle" and fails(channel, asset, failure_rate)

    report = report_of(plan.seed, stopped, gathered, provider_fails, done, time.monotonic() - began)
    return Outcome(report, repeated(gathered["observed"], provider_fails))


def _stop_workers(installation: Installation) -> None:
    """Let nobody hold what is left, so that it can be read."""
    for channel in CHANNELS:
        installation.console.pause(channel)
    for channel in CHANNELS:
        installation.await_workers(channel, 0)


def pod_fault(installation: Installation, component: str, channel: str | None = None, **flags: Any) -> Deed:
    """Give the deed of deleting a pod that works; `grace_period=1`: as good as a crash."""

    def deed() -> str:
        name = str(installation.pods(component, channel)[0]["metadata"]["name"])
        words = [f"--{flag.replace('_', '-')}={value}" for flag, value in flags.items()]
        installation.kubectl.run("delete", "pod", name, "--wait=false", *words)
        return f"deleted {name} {' '.join(words)}".strip()

    return deed


def await_ready(
    installation: Installation, component: str, count: int, limit_s: float, channel: str | None = None
) -> Deed:
    """Give the deed of waiting until a component (or one channel's part of it) has so many ready pods again."""

    def ready() -> bool:
        pods = installation.pods(component, channel)
        conditions = [{each["type"]: each["status"] for each in pod["status"]["conditions"]} for pod in pods]
        return sum(each.get("Ready") == "True" for each in conditions) >= count

    def deed() -> str:
        began = time.monotonic()
        until(ready, f"{count} ready pods of {channel or component}", installation.parameters.limit(limit_s))
        return f"{channel or component} whole again after {time.monotonic() - began:.0f} s"

    return deed


def replaced(installation: Installation, channel: str, **flags: Any) -> tuple[Deed, Deed]:
    """Give the deeds of deleting a channel's worker and of waiting until it has as many ready ones as before."""
    count = int(installation.workers(channel)["spec"]["replicas"])
    return (
        pod_fault(installation, "worker", channel, **flags),
        await_ready(installation, "worker", count, _POD_BACK_S, channel),
    )
