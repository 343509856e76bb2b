"""Workers and a node of RabbitMQ deleted and killed under load. The ledger decides."""

from mediaflow_chaos.report import print_report
from mediaflow_k8s.campaign import Outcome, under_load
from mediaflow_k8s.installation import Installation
from mediaflow_k8s.ledger import failed_uploads
from mediaflow_k8s.own_values import CHANNELS
from mediaflow_k8s.pod_faults import and_whole_again, await_ready, crashed, pod_deleted

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
    deeds = [deed for channel in CHANNELS for deed in and_whole_again(mediaflow, pod_deleted, channel)]

    outcome = under_load(mediaflow, *deeds)

    _holds(outcome)
    assert failed_uploads(outcome.report.answers) == {}
    assert outcome.repeated == {}, "a worker that was asked to stop gave back what it had begun"


def test_a_worker_that_is_killed_costs_nobody_a_job(mediaflow: Installation) -> None:
    before = mediaflow.redeliveries()["transcode"]
    deeds = [deed for _ in range(2) for deed in and_whole_again(mediaflow, crashed, "transcode")]

    outcome = under_load(mediaflow, *deeds)

    _holds(outcome)
    assert failed_uploads(outcome.report.answers) == {}
    assert mediaflow.redeliveries()["transcode"] > before, "what the killed workers held did not come again"


def test_a_node_of_rabbitmq_deleted_under_load_costs_no_upload_and_no_job(mediaflow: Installation) -> None:
    brokers = mediaflow.parameters.brokers
    back = await_ready(mediaflow, "rabbitmq", brokers, _BROKER_BACK_S)

    outcome = under_load(mediaflow, pod_deleted(mediaflow, "rabbitmq"), back)

    _holds(outcome)


def test_a_node_of_rabbitmq_that_is_killed_costs_no_upload_and_no_job(mediaflow: Installation) -> None:
    brokers = mediaflow.parameters.brokers
    back = await_ready(mediaflow, "rabbitmq", brokers, _BROKER_BACK_S)

    outcome = under_load(mediaflow, crashed(mediaflow, "rabbitmq"), back)

    _holds(outcome)
