"""Pods deleted under load: a worker, a worker that gets no time to end, and a node of RabbitMQ. The ledger decides."""

from mediaflow_chaos.report import print_report
from mediaflow_k8s.campaign import Outcome, await_ready, pod_fault, replaced, under_load
from mediaflow_k8s.installation import Installation
from mediaflow_k8s.ledger import failed_uploads
from mediaflow_k8s.own_values import CHANNELS

#: Seconds for a broker to come back with its queues: it replays its log, and may wait for the others.
_BROKER_BACK_S = 300


def _holds(outcome: Outcome) -> None:
    print_report(outcome.report)
    assert outcome.report.could_not_check == ""
    for account in outcome.report.accounts:
        assert (account.lost, account.duplicated, account.unexpected, account.stuck) == (0, 0, 0, 0), account.faults
        assert account.accepted > 0
        assert account.done + account.dead_lettered >= account.accepted


def test_worker_pods_deleted_under_load_lose_nothing_and_repeat_nothing(mediaflow: Installation) -> None:
    deeds = [deed for channel in CHANNELS for deed in replaced(mediaflow, channel)]

    outcome = under_load(mediaflow, *deeds)

    _holds(outcome)
    assert failed_uploads(outcome.report.answers) == {}
    assert outcome.repeated == {}, "a worker that was asked to stop gave back what it had begun"


def test_a_worker_that_gets_no_time_to_end_costs_nobody_a_job(mediaflow: Installation) -> None:
    deeds = [deed for _ in range(2) for deed in replaced(mediaflow, "transcode", grace_period=1)]

    outcome = under_load(mediaflow, *deeds)

    _holds(outcome)
    assert failed_uploads(outcome.report.answers) == {}


def test_a_node_of_rabbitmq_deleted_under_load_costs_no_upload_and_no_job(mediaflow: Installation) -> None:
    brokers = mediaflow.parameters.brokers
    back = await_ready(mediaflow, "rabbitmq", brokers, _BROKER_BACK_S)

    outcome = under_load(mediaflow, pod_fault(mediaflow, "rabbitmq"), back)

    _holds(outcome)


def test_a_node_of_rabbitmq_that_gets_no_time_to_end_costs_no_upload_and_no_job(mediaflow: Installation) -> None:
    brokers = mediaflow.parameters.brokers
    back = await_ready(mediaflow, "rabbitmq", brokers, _BROKER_BACK_S)

    outcome = under_load(mediaflow, pod_fault(mediaflow, "rabbitmq", grace_period=1), back)

    _holds(outcome)
