"""What Kubernetes control does when others are always faster, and when one channel of several fails."""

import pytest

from console.control.fleet_control import ControlUnavailable
from console.control.kube_errors import Call, Conflict
from console.control.kubernetes_control import KubernetesControl


class BusyApi:
    """An API without KEDA whose Deployments others keep changing."""

    namespace = "films"

    def __init__(self, channels, conflicts=0, broken=()):
        self.channels, self.conflicts, self.broken = channels, conflicts, broken
        self.patched = []

    def has_group(self, group):
        return False

    def find(self, group, resource, selector):
        return [
            {
                "metadata": {"name": name, "resourceVersion": "1", "labels": {"mediaflow.io/channel": name}},
                "spec": {"replicas": 2},
            }
            for name in self.channels
        ]

    def patch(self, group, resource, name, change):
        if name in self.broken:
            raise ControlUnavailable(f"no answer for {name}")
        if self.conflicts:
            self.conflicts -= 1
            raise Conflict(str(Call("patch", group, resource, self.namespace, name)))
        self.patched.append(name)


def test_a_change_is_tried_again_on_what_others_wrote():
    api = BusyApi(["transcode"], conflicts=9)
    KubernetesControl(api, "films").pause("transcode")
    assert api.patched == ["transcode"]


def test_a_change_that_never_comes_through_is_given_up_and_told():
    with pytest.raises(Conflict):
        KubernetesControl(BusyApi(["transcode"], conflicts=99), "films").pause("transcode")


def test_of_all_channels_those_that_can_are_paused_also_when_one_fails():
    api = BusyApi(["subtitle", "thumbnail", "transcode"], broken=["thumbnail"])
    with pytest.raises(ControlUnavailable, match="no answer for thumbnail"):
        KubernetesControl(api, "films").pause(None)
    assert api.patched == ["subtitle", "transcode"]
