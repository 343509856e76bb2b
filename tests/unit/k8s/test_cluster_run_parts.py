"""The pure parts of the run on a cluster: what it is told, what it makes of what it sees."""

import json
from pathlib import Path

import pytest
from mediaflow_k8s.client_pod import code_volume
from mediaflow_k8s.ledger import failed_uploads, repeated, report_of
from mediaflow_k8s.leftovers import unannounced
from mediaflow_k8s.observer import line_of
from mediaflow_k8s.own_values import own_values
from mediaflow_k8s.parameters import CHART, Missing, Parameters, read_parameters
from mediaflow_k8s.pod_troubles import image_troubles, start_troubles
from mediaflow_k8s.tables import scaling_table, summary
from mediaflow_k8s.timeline import Moment, faults_of_burst, moment_of, steps, thinned


def moments(*wanted: int, ready: int | None = None) -> list[Moment]:
    last = len(wanted) - 1
    return [
        Moment(float(at), count, count if at == last else max(count, wanted[at - 1]), count if ready is None else ready)
        for at, count in enumerate(wanted)
    ]


# Parameters.


def test_a_run_takes_its_counts_from_variables_and_the_rest_is_as_usual(tmp_path: Path) -> None:
    kubeconfig = tmp_path / "config"
    kubeconfig.touch()

    told = read_parameters({"KUBECONFIG": str(kubeconfig), "MOST": "4", "RATE": "2.5", "KEEP": "1", "TAG": "1.2.3"})

    assert (told.most, told.rate, told.keep, told.tag) == (4, 2.5, True, "1.2.3")
    assert (told.fewest, told.brokers, told.registry) == (2, 3, "")
    assert told.clip.is_file()


@pytest.mark.parametrize(
    ("variables", "said"),
    [
        ({}, "KUBECONFIG is not set"),
        ({"KUBECONFIG": "/nowhere"}, "KUBECONFIG names /nowhere"),
        ({"KUBECONFIG": __file__, "BURST": "many"}, "BURST=many"),
        ({"KUBECONFIG": __file__, "BROKERS": "0"}, "BROKERS=0"),
        ({"KUBECONFIG": __file__, "VALUES": "/nowhere"}, "VALUES names /nowhere"),
    ],
)
def test_what_a_run_lacks_is_said_in_one_sentence(variables: dict[str, str], said: str) -> None:
    with pytest.raises(Missing, match=said) as missing:
        read_parameters(variables)

    assert "\n" not in str(missing.value)


# Values.


def test_the_runs_own_values_name_keys_that_the_chart_has() -> None:
    """The schema refuses others; here it is seen without a cluster."""
    chart = (CHART / "values.yaml").read_text()
    values = own_values(Parameters(Path("x"), "n", registry="r", tag="t"), code_volume("x")[1])

    for key in values:
        assert f"\n{key}:" in chart
    assert values["channels"]["transcode"]["profiles"]["simulated"]["workers"] == {"min": 2, "max": 8}
    json.dumps(values)


def test_the_code_for_pods_fits_into_a_config_map_and_stands_where_it_is_imported_from() -> None:
    config_map, volume = code_volume("x", sitecustomize=True)

    paths = {item["path"]: item["key"] for item in volume["configMap"]["items"]}
    assert {"sitecustomize.py", "mediaflow_chaos/load.py", "mediaflow_k8s/in_pod.py"} <= set(paths)
    assert set(paths.values()) == set(config_map["data"])
    assert sum(map(len, config_map["data"].values())) < 200_000


# The timeline.


def test_up_to_the_most_and_back_to_the_fewest_is_how_a_burst_has_to_look() -> None:
    assert faults_of_burst(moments(2, 2, 6, 8, 8, 5, 2), 2, 8) == []


@pytest.mark.parametrize(
    ("wanted", "ready", "said"),
    [
        ((3, 8, 2), None, "began with 3"),
        ((2, 4, 2), None, "no more than 4"),
        ((2, 9, 2), None, "outside 2 to 8"),
        ((2, 8, 1, 2), None, "outside 2 to 8"),
        ((2, 8, 2), 7, "only 7 became ready"),
        ((2, 5, 4, 8, 2), None, "fell from 5 to 4"),
        ((2, 8, 4, 6, 2), None, "rose from 4 to 6"),
        ((2, 8, 4), None, "at the end 4"),
        ((), None, "nothing was seen"),
    ],
)
def test_a_burst_that_went_otherwise_is_told_with_the_number(wanted: tuple[int, ...], ready: int, said: str) -> None:
    faults = faults_of_burst(moments(*wanted, ready=ready), 2, 8)

    assert any(said in fault for fault in faults), faults


def test_a_worker_that_is_still_ending_at_the_end_is_seen() -> None:
    still = [*moments(2, 8, 2), Moment(9.0, 2, 3, 2)]

    assert faults_of_burst(still, 2, 8) == ["at the end 2 workers were wanted and 3 there, not 2"]


@pytest.mark.parametrize(
    ("line", "seen"),
    [("2,2,2\n", (2, 2, 2)), ("8,2,\n", (8, 2, 0)), ("0,,\n", (0, 0, 0)), ("\n", None), ("error\n", None)],
)
def test_a_watch_is_read_line_by_line_and_what_kubectl_leaves_out_is_none(line: str, seen: tuple | None) -> None:
    moment = moment_of(line, 1.0)

    assert (moment and (moment.wanted, moment.running, moment.ready)) == seen


def test_a_table_shows_every_change_and_the_queue_now_and_then() -> None:
    seen = [Moment(float(at), 2 if at < 30 else 8, 2, 2, 40 - at) for at in range(40)]

    shown = thinned(seen, 10.0)

    assert [moment.at_s for moment in shown] == [0, 10, 20, 30, 39]
    assert [moment.wanted for moment in steps(seen)] == [2, 8]
    assert scaling_table(seen).splitlines()[-1].split() == ["39", "s", "8", "2", "2", "1"]


# Pods.


def pod(name: str, *, ready: bool = False, phase: str = "Pending", **state: object) -> dict:
    container = {"image": "mediaflow-x:1", "state": state, "restartCount": 0}
    conditions = [{"type": "Ready", "status": str(ready)}]
    return {
        "metadata": {"name": name},
        "spec": {"nodeName": "node-1"},
        "status": {"phase": phase, "conditions": conditions, "containerStatuses": [container]},
    }


def test_an_image_that_is_nowhere_is_named_once_with_the_way_out() -> None:
    pods = [pod(name, waiting={"reason": "ImagePullBackOff"}) for name in ("a", "b")]

    (said,) = image_troubles(pods)

    assert "mediaflow-x:1" in said
    assert "REGISTRY=" in said


def test_a_pod_that_only_takes_its_time_is_no_trouble_with_images() -> None:
    assert image_troubles([pod("a", waiting={"reason": "ContainerCreating"})]) == []


@pytest.mark.parametrize(
    ("seen", "said"),
    [
        (pod("a", waiting={"reason": "CrashLoopBackOff", "message": "back-off"}), "a: CrashLoopBackOff back-off"),
        (pod("a", terminated={"exitCode": 2, "reason": "Error"}), "a: ended with exit code 2 (Error)"),
        (pod("a", phase="Running", running={}), "a: Running, not ready"),
    ],
)
def test_a_pod_that_is_not_ready_says_why(seen: dict, said: str) -> None:
    assert start_troubles([seen]) == [said]


def test_ready_pods_and_jobs_that_are_done_are_no_trouble() -> None:
    assert start_troubles([pod("a", ready=True, phase="Running"), pod("b", phase="Succeeded")]) == []


# What is left.


def test_what_the_notes_name_may_stay_and_anything_else_may_not() -> None:
    before = ["configmap/mine"]
    after = [
        *before,
        "configmap/kube-root-ca.crt",
        "serviceaccount/default",
        "persistentvolumeclaim/data-mediaflow-rabbitmq-0",
        "secret/mediaflow-rabbitmq",
        "event/x.1",
    ]

    assert unannounced(before, after, "It leaves data-mediaflow-rabbitmq-* and the Secret mediaflow-rabbitmq.") == []
    second = [*after, "persistentvolumeclaim/data-mediaflow-rabbitmq-1"]
    assert unannounced(before, second, "data-mediaflow-rabbitmq-0 and so on, and secret/mediaflow-rabbitmq") == []
    assert unannounced(before, after, "It leaves `data-mediaflow-rabbitmq-0`.") == ["secret/mediaflow-rabbitmq"]


# The ledger.

_SEED = 7


def book(*lines: dict) -> str:
    return "\n".join(map(json.dumps, lines))


def upload(asset: str, status: int = 202) -> list[dict]:
    return [
        {"what": "sent", "asset": asset, "file": False, "at": 1.0},
        {"what": "answered", "asset": asset, "status": status, "event": f"e-{asset}", "problem": ""},
    ]


def seen(asset: str, *whats: str) -> list[dict[str, str]]:
    names = [f"observed/transcode/{asset}/{what}/e-{asset}/pod-1/{number}" for number, what in enumerate(whats)]
    return [line for name in names if (line := line_of(name))]


_DONE = ("delivered", "committing", "committed")


def gathered(results: dict[str, str], observed: list, dead_letters: list | None = None, counted: int = 0) -> dict:
    found = {"results": results, "dead_letters": dead_letters or [], "waiting": [], "counted": counted}
    return {"channels": {"transcode": found}, "observed": observed, "bursts": {}, "outbox": []}


def report(lines: str, evidence: dict):
    return report_of(_SEED, {"answers": {"202": 1}, "book": lines}, evidence, lambda _, __: False, [], 1.0)


def test_an_upload_that_was_done_once_is_a_promise_kept() -> None:
    asset = f"chaos-{_SEED}-000001"

    told = report(book(*upload(asset)), gathered({asset: f"e-{asset}"}, seen(asset, *_DONE)))

    assert told.could_not_check == ""
    assert told.holds
    assert told.accounts[0].done == 1


@pytest.mark.parametrize(
    ("evidence", "what"),
    [
        (lambda a, b: gathered({a: f"e-{a}"}, seen(a, *_DONE)), "lost"),
        (lambda a, b: gathered({a: f"e-{a}", b: f"e-{b}"}, seen(a, *_DONE) + seen(b, *_DONE, *_DONE)), "duplicated"),
        (lambda a, b: gathered({a: f"e-{a}", b: f"e-{b}"}, seen(a, *_DONE)), "unexpected"),
        (lambda a, b: gathered({a: f"e-{a}"}, seen(a, *_DONE), counted=1), "stuck"),
    ],
)
def test_what_went_wrong_is_counted_as_what_it_is(evidence, what: str) -> None:
    first, second = f"chaos-{_SEED}-000001", f"chaos-{_SEED}-000002"

    (account,) = report(book(*upload(first), *upload(second)), evidence(first, second)).accounts

    assert getattr(account, what) == 1, account.faults


def test_dead_letters_of_earlier_loads_are_not_this_ones() -> None:
    asset = f"chaos-{_SEED}-000001"
    letter = {"asset_id": "chaos-6-000009", "event_id": "e", "reason": "rejected", "from_queue": "media.transcode"}
    evidence = gathered({asset: f"e-{asset}"}, seen(asset, *_DONE), [letter])

    assert report(book(*upload(asset)), evidence).holds
    mine = letter | {"asset_id": f"chaos-{_SEED}-000009"}
    evidence = gathered({asset: f"e-{asset}"}, seen(asset, *_DONE), [mine])
    assert report(book(*upload(asset)), evidence).accounts[0].unexpected == 1


def test_work_that_nobody_observed_proves_nothing() -> None:
    asset = f"chaos-{_SEED}-000001"

    told = report(book(*upload(asset)), gathered({asset: f"e-{asset}"}, []))

    assert "no commit was observed" in told.could_not_check
    assert not told.holds


def test_every_answer_but_202_is_a_failed_upload() -> None:
    assert failed_uploads({"202": 9, "503 broker-unavailable": 1, "none": 2, "burst 202": 3}) == {
        "503 broker-unavailable": 1,
        "none": 2,
    }


def test_a_job_that_was_begun_twice_is_told_unless_it_was_waiting_for_its_next_try() -> None:
    observed = seen("a", "delivered", "delivered") + seen("b", *_DONE) + seen("c", "delivered", "delivered")

    assert repeated(observed, lambda _, asset: asset == "c") == {("transcode", "a"): 2}


def test_what_was_not_played_is_no_pass() -> None:
    assert summary({"1": True, "2": True}) == "2 of 2 passed"
    assert summary({"1": True, "2": False, "5": None}) == "1 of 2 passed; failed: 2; not played here: 5"
