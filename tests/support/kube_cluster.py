"""A Kubernetes API for tests, and what a cluster's other parts would do there: controllers, kubelet, KEDA.

Two servers can stand behind it. `KUBE_APISERVER` names a kube-apiserver (`make kube-apiserver` builds one): it is
started with etcd, and every test runs against it. Without that it is `kube_recorded`, a server of the tests' own that
answers as a kube-apiserver 1.36.3 does. Which one it is stands in the name of each test; none is skipped.
"""

import copy
import itertools
import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import urllib3

Json = dict[str, Any]

ADMIN, CONSOLE = "admin-token", "console-token"
RELEASE = "films"
#: Where the pods of the tests are said to run.
NODE = "node-1"

_numbers = itertools.count(1)

SCALED_OBJECTS_CRD: Json = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {"name": "scaledobjects.keda.sh"},
    "spec": {
        "group": "keda.sh",
        "scope": "Namespaced",
        "names": {"kind": "ScaledObject", "plural": "scaledobjects", "singular": "scaledobject"},
        "versions": [
            {
                "name": "v1alpha1",
                "served": True,
                "storage": True,
                "subresources": {"status": {}},
                "schema": {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}},
            }
        ],
    },
}


def until(condition: Callable[[], object], what: str) -> None:
    deadline = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < deadline, f"{what} did not come"
        time.sleep(0.02)


@dataclass
class KubeCluster:
    """One server; `logs` are what its kubelet tells, by pod name. `ca`: its certificate, None for plain HTTP."""

    url: str
    ca: Path | None = None
    logs: dict[str, str] = field(default_factory=dict)
    namespace: str = ""

    def __post_init__(self) -> None:
        self._http = urllib3.PoolManager(ca_certs=str(self.ca) if self.ca else None)

    def ask(self, method: str, path: str, body: Any = None, content_type: str = "application/json") -> Json:
        """Send a request as the cluster's admin; fails the test when it is refused."""
        status, answer = self.try_to(method, path, body, content_type)
        assert status < 300, f"{method} {path}: {status} {answer}"
        return answer

    def try_to(
        self, method: str, path: str, body: Any = None, content_type: str = "application/json"
    ) -> tuple[int, Json]:
        headers = {"Authorization": f"Bearer {ADMIN}", "Content-Type": content_type}
        sent = None if body is None else json.dumps(body)
        answer = self._http.request(method, f"{self.url}{path}", body=sent, headers=headers, timeout=10, retries=False)
        return answer.status, json.loads(answer.data) if answer.data.startswith(b"{") else {}

    def merge(self, path: str, change: Json) -> Json:
        return self.ask("PATCH", path, change, "application/merge-patch+json")

    def begin(self) -> None:
        """Give the test a namespace of its own."""
        self.namespace = f"test-{next(_numbers)}"
        self.ask("POST", "/api/v1/namespaces", {"metadata": {"name": self.namespace}})

    def path(self, group: str, resource: str, name: str = "") -> str:
        bases = {"": "/api/v1", "keda.sh": "/apis/keda.sh/v1alpha1"}
        base = bases.get(group, f"/apis/{group}/v1")
        return f"{base}/namespaces/{self.namespace}/{resource}{f'/{name}' if name else ''}"

    def allow(self, rules: Sequence[Json]) -> None:
        """Let the console do what `rules` of a Role say, and no more; wait until that holds."""
        role, binding = (
            self.path("rbac.authorization.k8s.io", "roles"),
            self.path("rbac.authorization.k8s.io", "rolebindings"),
        )
        ref = {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "console"}
        subject = {"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": "console"}
        self.try_to("POST", role, {"metadata": {"name": "console"}, "rules": []})
        self.try_to("POST", binding, {"metadata": {"name": "console"}, "roleRef": ref, "subjects": [subject]})
        self.merge(f"{role}/console", {"rules": [rule for rule in rules if rule["verbs"]]})
        everything = {(rule["apiGroups"][0], rule["resources"][0], verb) for rule in rules for verb in rule["verbs"]}
        for group, resource, verb in everything | self._allowed_before:
            wanted = (group, resource, verb) in everything
            until(lambda: self._may(group, resource, verb) == wanted, "the role")  # noqa: B023 - called at once
        self._allowed_before = everything

    _allowed_before: set[tuple[str, str, str]] = field(default_factory=set)

    def _may(self, group: str, resource: str, verb: str) -> bool:
        resource, _, subresource = resource.partition("/")
        attributes = {"namespace": self.namespace, "group": group, "resource": resource, "verb": verb}
        spec = {"user": "console", "resourceAttributes": attributes | {"subresource": subresource}}
        review = self.ask("POST", "/apis/authorization.k8s.io/v1/subjectaccessreviews", {"spec": spec})
        return bool(review["status"]["allowed"])

    def with_keda(self, installed: bool) -> None:
        """Install KEDA's kind of objects, or take it away."""
        crds, name = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", "scaledobjects.keda.sh"
        if installed:
            self.try_to("POST", crds, copy.deepcopy(SCALED_OBJECTS_CRD))
        elif self.try_to("GET", f"{crds}/{name}")[0] == 200:
            self.ask("DELETE", f"{crds}/{name}")
        until(lambda: (self.try_to("GET", "/apis/keda.sh/v1alpha1")[0] == 200) == installed, "KEDA's kind")
        if installed:
            until(lambda: self.try_to("GET", self.path("keda.sh", "scaledobjects"))[0] == 200, "its objects")

    def kubeconfig(self, file: Path, token: str = CONSOLE) -> Path:
        """Write how the console reaches this server."""
        cluster = {"server": self.url} | ({"certificate-authority": str(self.ca)} if self.ca else {})
        context = {"cluster": "here", "user": "console", "namespace": self.namespace}
        content = {
            "apiVersion": "v1",
            "kind": "Config",
            "current-context": "here",
            "clusters": [{"name": "here", "cluster": cluster}],
            "users": [{"name": "console", "user": {"token": token}}],
            "contexts": [{"name": "here", "context": context}],
        }
        file.write_text(json.dumps(content))
        return file
