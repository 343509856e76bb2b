"""Workers on Kubernetes are seen, paused, scaled and resumed, with KEDA and without, whoever else writes meanwhile."""

import threading

import pytest

from console.control.fleet_control import ControlRefused, ControlUnavailable, UnknownChannel
from kube_objects import add_deployment, add_pod, add_scaled_object, running, waiting


def deployment(cluster, channel="transcode"):
    return cluster.ask("GET", cluster.path("apps", "deployments", f"films-{channel}"))


def scaler(cluster, channel="transcode"):
    return cluster.ask("GET", cluster.path("keda.sh", "scaledobjects", f"films-{channel}"))


def notes(read):
    return read["metadata"].get("annotations", {})


def test_a_look_tells_workers_numbers_and_who_scales(cluster, make_control):
    add_deployment(cluster, "transcode", 2)
    add_scaled_object(cluster, "transcode")
    add_deployment(cluster, "thumbnail", 3, **{"mediaflow.io/min-workers": "1", "mediaflow.io/max-workers": "4"})
    add_pod(cluster, "transcode-a", "worker", "transcode", running())
    add_pod(cluster, "transcode-b", "worker", "transcode", waiting("ImagePullBackOff", "no such image"))
    add_pod(cluster, "replay", "replayer", "transcode", running())

    view = make_control().fleet()

    assert list(view.channels) == ["thumbnail", "transcode"]
    transcode, thumbnail = view.channels["transcode"], view.channels["thumbnail"]
    assert (transcode.wanted, transcode.minimum, transcode.maximum, transcode.scaled_by) == (2, 2, 8, "keda")
    assert (thumbnail.wanted, thumbnail.minimum, thumbnail.maximum, thumbnail.scaled_by) == (3, 1, 4, "hand")
    assert not transcode.paused and not transcode.held
    ready, stuck = transcode.workers
    assert (ready.name, ready.state, ready.metrics_url) == ("transcode-a", "ready", "http://10.1.2.3:9100/metrics")
    assert (ready.ready_at - ready.started_at).total_seconds() == 9
    assert (stuck.state, stuck.reason) == ("waiting", "ImagePullBackOff: no such image")


def test_with_keda_a_pause_is_kedas_annotation_and_resuming_takes_it_away(cluster, make_control):
    add_deployment(cluster, "transcode", 5)
    add_scaled_object(cluster, "transcode", mine="stays")
    control = make_control()

    control.pause("transcode")
    assert notes(scaler(cluster)) == {"autoscaling.keda.sh/paused-replicas": "0", "mine": "stays"}
    paused = control.fleet().channels["transcode"]
    assert (paused.paused, paused.held, paused.wanted) == (True, False, 2)
    version = scaler(cluster)["metadata"]["resourceVersion"]
    control.pause("transcode")
    assert scaler(cluster)["metadata"]["resourceVersion"] == version  # nothing was written

    control.resume("transcode")
    assert notes(scaler(cluster)) == {"mine": "stays"}
    assert deployment(cluster)["spec"]["replicas"] == 5  # KEDA's to write


def test_with_keda_scaling_holds_the_number_until_it_is_given_back(cluster, make_control):
    add_deployment(cluster, "transcode")
    add_scaled_object(cluster, "transcode")
    control = make_control()

    control.scale("transcode", 6)
    held = control.fleet().channels["transcode"]
    assert (held.paused, held.held, held.wanted) == (False, True, 6)
    assert notes(scaler(cluster)) == {"autoscaling.keda.sh/paused-replicas": "6"}

    control.pause("transcode")
    control.resume(None)
    assert notes(scaler(cluster)) == {"autoscaling.keda.sh/paused-replicas": "6"}
    control.resume(None)  # all that are paused: none is
    assert control.fleet().channels["transcode"].held

    control.resume("transcode")
    assert notes(scaler(cluster)) == {}


def test_with_keda_scaling_a_paused_channel_counts_once_it_is_resumed(cluster, make_control):
    add_deployment(cluster, "transcode")
    add_scaled_object(cluster, "transcode")
    control = make_control()
    control.pause("transcode")
    control.scale("transcode", 3)
    paused = control.fleet().channels["transcode"]
    assert (paused.paused, paused.wanted) == (True, 3)
    control.resume("transcode")
    assert notes(scaler(cluster)) == {"autoscaling.keda.sh/paused-replicas": "3"}


def test_a_channel_that_somebody_paused_by_hand_at_its_number_is_held_and_can_be_resumed(cluster, make_control):
    add_deployment(cluster, "transcode", 4)
    add_scaled_object(cluster, "transcode", **{"autoscaling.keda.sh/paused": "true"})
    control = make_control()
    held = control.fleet().channels["transcode"]
    assert (held.held, held.paused, held.wanted) == (True, False, 4)
    control.resume("transcode")
    assert notes(scaler(cluster)) == {}


@pytest.mark.parametrize("keda", [True, False], ids=["beside others that KEDA scales", "without KEDA's kind"])
def test_without_keda_the_number_before_the_pause_is_kept_on_the_deployment(cluster, make_control, keda):
    cluster.with_keda(keda)
    add_deployment(cluster, "thumbnail", 3)
    control = make_control()

    control.pause("thumbnail")
    paused = control.fleet().channels["thumbnail"]
    assert (paused.paused, paused.wanted, paused.scaled_by) == (True, 3, "hand")
    assert deployment(cluster, "thumbnail")["spec"]["replicas"] == 0
    control.pause(None)
    control.scale("thumbnail", 5)
    assert deployment(cluster, "thumbnail")["spec"]["replicas"] == 0

    control.resume(None)
    assert deployment(cluster, "thumbnail")["spec"]["replicas"] == 5
    assert notes(deployment(cluster, "thumbnail")) == {}
    control.resume(None)
    assert deployment(cluster, "thumbnail")["spec"]["replicas"] == 5

    control.scale("thumbnail", 1)
    assert deployment(cluster, "thumbnail")["spec"]["replicas"] == 1


def test_kubectl_scale_ends_a_pause_too(cluster, make_control):
    add_deployment(cluster, "thumbnail", 3)
    control = make_control()
    control.pause("thumbnail")
    cluster.merge(f"{cluster.path('apps', 'deployments', 'films-thumbnail')}/scale", {"spec": {"replicas": 2}})
    now = control.fleet().channels["thumbnail"]
    assert (now.paused, now.wanted) == (False, 2)
    control.pause("thumbnail")
    assert control.fleet().channels["thumbnail"].wanted == 2


def test_a_change_meets_what_others_write_at_the_same_time_and_loses_none_of_it(cluster, make_control):
    add_deployment(cluster, "transcode")
    add_scaled_object(cluster, "transcode")
    over = threading.Event()
    written = []

    def keda():
        while not over.is_set():
            status = {"status": {"lastActiveTime": str(len(written))}}
            cluster.merge(f"{cluster.path('keda.sh', 'scaledobjects', 'films-transcode')}/status", status)
            written.append(status)
            over.wait(0.1)

    writer = threading.Thread(target=keda)
    writer.start()
    try:
        control = make_control()
        for _ in range(5):
            control.pause("transcode")
            assert control.fleet().channels["transcode"].paused
            control.resume("transcode")
            assert not control.fleet().channels["transcode"].paused
    finally:
        over.set()
        writer.join()
    assert scaler(cluster)["status"] == written[-1]["status"]


def test_two_who_pause_and_scale_at_the_same_time_leave_one_of_both_results(cluster, make_control):
    add_deployment(cluster, "thumbnail", 2)
    control = make_control()
    acts = [lambda: control.pause("thumbnail"), lambda: control.scale("thumbnail", 7)] * 2
    threads = [threading.Thread(target=act) for act in acts]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    channel = control.fleet().channels["thumbnail"]
    assert channel.wanted == 7  # also when the pause came last
    control.resume("thumbnail")
    assert deployment(cluster, "thumbnail")["spec"]["replicas"] == 7


def test_what_cannot_be_is_said_with_what_there_is(cluster, make_control):
    control = make_control()
    with pytest.raises(ControlUnavailable, match="MEDIAFLOW_CONSOLE_KUBE_RELEASE"):
        control.fleet()
    add_deployment(cluster, "transcode")
    with pytest.raises(UnknownChannel, match="No channel 'poster'; there are: transcode"):
        control.pause("poster")
    with pytest.raises(ControlRefused, match="Between 0 and"):
        control.scale("transcode", -1)


def test_an_account_that_is_not_known_is_told_so(cluster, make_control):
    with pytest.raises(ControlUnavailable, match="does not know the console's account"):
        make_control(token="another").fleet()


def test_a_list_that_comes_in_pages_is_read_to_its_end(cluster, make_control, monkeypatch):
    monkeypatch.setattr("console.control.kube_api._PAGE", 2)
    add_deployment(cluster, "transcode")
    for number in range(5):
        add_pod(cluster, f"transcode-{number}", "worker", "transcode", running())
    assert len(make_control().fleet().channels["transcode"].workers) == 5


def test_keda_that_is_installed_later_is_noticed_at_once(cluster, make_control):
    cluster.with_keda(False)
    add_deployment(cluster, "transcode")
    control = make_control()
    assert control.fleet().channels["transcode"].scaled_by == "hand"
    cluster.with_keda(True)
    add_scaled_object(cluster, "transcode")
    control.pause("transcode")
    assert deployment(cluster)["spec"]["replicas"] == 2
    assert notes(scaler(cluster)) == {"autoscaling.keda.sh/paused-replicas": "0"}
