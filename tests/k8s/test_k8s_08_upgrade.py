"""Rolling upgrade and rollback under load: no upload fails and no job is lost."""

import os

import pytest
from mediaflow_chaos.report import print_report
from mediaflow_k8s.campaign import Outcome, under_load
from mediaflow_k8s.installation import Installation
from mediaflow_k8s.ledger import failed_uploads
from mediaflow_k8s.own_values import CHANNELS, Values

#: Changes every pod's environment, so that all of them are replaced.
_NEW: Values = {"log": {"level": "debug"}}


def _uids(mediaflow: Installation) -> set[str]:
    pods = [*mediaflow.pods("ingest"), *mediaflow.pods("worker"), *mediaflow.pods("console")]
    return {pod["metadata"]["uid"] for pod in pods}


def _no_harm(outcome: Outcome) -> None:
    print_report(outcome.report)
    assert failed_uploads(outcome.report.answers) == {}, "uploads failed"
    assert outcome.report.could_not_check == ""
    for account in outcome.report.accounts:
        assert (account.lost, account.duplicated, account.unexpected, account.stuck) == (0, 0, 0, 0), account.faults
    assert outcome.repeated == {}, "a worker that was replaced gave back what it had begun"


@pytest.fixture(scope="module")
def first(mediaflow: Installation) -> int:
    """Give the revision with the run's usual values, to which it goes back."""
    mediaflow.upgrade()
    return mediaflow.helm.revision()


def test_a_rolling_upgrade_under_load_fails_no_upload_and_repeats_no_job(mediaflow: Installation, first: int) -> None:
    before = _uids(mediaflow)
    sets = {"image.tag": tag} if (tag := os.environ.get("UPGRADE_TAG")) else {}

    def upgrade() -> str:
        mediaflow.upgrade(_NEW, **sets)
        return "upgraded: every pod of ingest, of the console and of the workers is another one"

    outcome = under_load(mediaflow, upgrade, keep_connections=False)

    assert not before & _uids(mediaflow), "pods were not replaced"
    _no_harm(outcome)


def test_an_upgrade_keeps_passwords_and_the_number_of_workers(mediaflow: Installation, first: int) -> None:
    secrets = {each["metadata"]["name"]: each["data"] for each in _own_secrets(mediaflow)}
    replicas = {channel: mediaflow.workers(channel)["spec"]["replicas"] for channel in CHANNELS}

    mediaflow.upgrade(_NEW)

    assert {each["metadata"]["name"]: each["data"] for each in _own_secrets(mediaflow)} == secrets
    assert {channel: mediaflow.workers(channel)["spec"]["replicas"] for channel in CHANNELS} == replicas


def test_a_rollback_under_load_fails_no_upload_and_repeats_no_job(mediaflow: Installation, first: int) -> None:
    def roll_back() -> str:
        mediaflow.helm.rollback(first, limit_s=mediaflow.parameters.limit(600))
        return f"rolled back to revision {first}"

    outcome = under_load(mediaflow, roll_back)

    _no_harm(outcome)
    (container,) = mediaflow.workers("transcode")["spec"]["template"]["spec"]["containers"]
    levels = {each["name"]: each.get("value") for each in container["env"]}
    assert levels["MEDIAFLOW_LOG_LEVEL"] != "debug"


def _own_secrets(mediaflow: Installation) -> list[dict]:
    found = mediaflow.kubectl.items("secrets", release=mediaflow.parameters.release)
    return [each for each in found if each["type"] != "helm.sh/release.v1"]
