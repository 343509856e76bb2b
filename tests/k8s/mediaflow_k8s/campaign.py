"""Something is done to the fleet while clients upload; then the books are compared with what came of it."""

import secrets
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass

from mediaflow_chaos.load import LoadPlan
from mediaflow_chaos.report import Report

from mediaflow_k8s.installation import Installation
from mediaflow_k8s.ledger import repeated, report_of
from mediaflow_k8s.own_values import CHANNELS, FAILURE_RATE
from mediaflow_k8s.pod_faults import Deed
from mq_common.simulation import fails

#: Seconds of load before anything is done.
_WARM_UP_S = 3.0
#: Seconds for one upload's answer.
_ANSWER_S = 12.0
#: Seconds for queues to become empty afterwards: longer than the three minutes after which RabbitMQ tries a
#: dead-lettering again.
_DRAIN_S = 300.0


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
