"""A server that answers as a kube-apiserver 1.36.3 does, for what the console and its tests ask.

The same tests pass against the real one (see `kube_cluster`). What is sent is read into the models that the
`kubernetes` package generates from the API's OpenAPI description: what does not fit is refused as it would be there.
Not there: defaults, watches, admission, anything of other kinds than those below.
"""

import itertools
import json
import threading
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pydantic
from kubernetes import client

from kube_cluster import ADMIN, CONSOLE, KubeCluster

Json = dict[str, Any]

_MODELS = {
    "deployments": client.V1Deployment,
    "pods": client.V1Pod,
    "cronjobs": client.V1CronJob,
    "jobs": client.V1Job,
    "roles": client.V1Role,
    "rolebindings": client.V1RoleBinding,
    "namespaces": client.V1Namespace,
    "customresourcedefinitions": client.V1CustomResourceDefinition,
}
_VERBS = {"POST": "create", "PATCH": "patch", "DELETE": "delete"}
_NOW = "2026-11-30T12:00:00Z"


class Refused(Exception):
    """An answer that is an error: a Status object."""

    def __init__(self, code: int, reason: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        about = {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure"}
        self.status = about | {"message": message, "reason": reason, "code": code}


class Target:
    """What a path names."""

    def __init__(self, path: str) -> None:
        parts = path.strip("/").split("/")
        self.group, parts = ("", parts[2:]) if parts[0] == "api" else (parts[1], parts[3:])
        self.namespace = ""
        if len(parts) > 2 and parts[0] == "namespaces":
            self.namespace, parts = parts[1], parts[2:]
        self.resource, self.name, self.sub = (*parts, "", "", "")[:3]
        self.key = (self.group, self.resource, self.namespace)

    @property
    def kind(self) -> str:
        return f"{self.resource}.{self.group}" if self.group else self.resource


class Recorded:
    """The objects, and what is answered."""

    def __init__(self) -> None:
        self._objects: dict[tuple[str, str, str], dict[str, Json]] = {}
        self._versions = itertools.count(100)
        self._lock = threading.Lock()
        self.cluster: KubeCluster

    def answer(self, method: str, url: str, token: str, content_type: str, body: Any) -> Json | str:
        """Give the answer's body. Raises Refused."""
        parts = urlsplit(url)
        if token not in (f"Bearer {ADMIN}", f"Bearer {CONSOLE}"):
            raise Refused(401, "Unauthorized", "Unauthorized")
        target, query = Target(parts.path), parse_qs(parts.query)
        with self._lock:
            if not target.resource:
                return self._discovery(target)
            if target.group == "keda.sh" and not self._has_keda():
                raise Refused(404, "NotFound", "404 page not found")
            if token == f"Bearer {CONSOLE}":
                self._authorize(method, target)
            return self._do(method, target, query, content_type, body)

    def _do(self, method: str, target: Target, query: dict[str, list[str]], content_type: str, body: Any) -> Json | str:
        if target.resource == "subjectaccessreviews":
            asked = body["spec"]["resourceAttributes"]
            full = f"{asked['resource']}/{asked['subresource']}".rstrip("/")
            return {"status": {"allowed": self._may(asked["namespace"], asked["group"], full, asked["verb"])}}
        if method == "POST":
            return self._create(target, body)
        if method == "GET" and not target.name:
            return self._list(target, query)
        found = self._objects.get(target.key, {}).get(target.name)
        if found is None:
            raise Refused(404, "NotFound", f'{target.kind} "{target.name}" not found')
        if method == "GET":
            return self._log(found, query) if target.sub == "log" else found
        return (
            self._delete(target, found, body) if method == "DELETE" else self._patch(target, found, content_type, body)
        )

    def _discovery(self, target: Target) -> Json:
        if target.group == "keda.sh" and not self._has_keda():
            raise Refused(404, "NotFound", "404 page not found")
        return {"kind": "APIResourceList", "resources": []}

    def _has_keda(self) -> bool:
        return bool(self._objects.get(("apiextensions.k8s.io", "customresourcedefinitions", "")))

    def _authorize(self, method: str, target: Target) -> None:
        verb = _VERBS.get(method) or ("get" if target.name else "list")
        full = f"{target.resource}/{target.sub}".rstrip("/")
        if not self._may(target.namespace, target.group, full, verb):
            what = f'User "console" cannot {verb} resource "{full}" in API group "{target.group}"'
            where = f'in the namespace "{target.namespace}"'
            raise Refused(403, "Forbidden", f"{target.kind} is forbidden: {what} {where}")

    def _may(self, namespace: str, group: str, resource: str, verb: str) -> bool:
        roles = self._objects.get(("rbac.authorization.k8s.io", "roles", namespace), {})
        rules = roles.get("console", {}).get("rules", [])
        return any(group in r["apiGroups"] and resource in r["resources"] and verb in r["verbs"] for r in rules)

    def _create(self, target: Target, body: Json) -> Json:
        name = body["metadata"]["name"]
        objects = self._objects.setdefault(target.key, {})
        if name in objects:
            raise Refused(409, "AlreadyExists", f'{target.kind} "{name}" already exists')
        _validate(target, body)
        made = {"uid": str(uuid.uuid4()), "creationTimestamp": _NOW, "resourceVersion": str(next(self._versions))}
        objects[name] = {k: v for k, v in body.items() if k != "status"} | {"metadata": _dense(body["metadata"]) | made}
        return objects[name]

    def _list(self, target: Target, query: dict[str, list[str]]) -> Json:
        wanted = dict(each.split("=") for each in query.get("labelSelector", [""])[0].split(",") if each)
        every = sorted(self._objects.get(target.key, {}).items())
        items = [each for _, each in every if wanted.items() <= each["metadata"].get("labels", {}).items()]
        begin = int(query.get("continue", ["0"])[0])
        end = begin + int(query.get("limit", ["500"])[0])
        more = {"continue": str(end)} if end < len(items) else {}
        return {"kind": "List", "metadata": {"resourceVersion": "1"} | more, "items": items[begin:end]}

    def _patch(self, target: Target, found: Json, content_type: str, body: Json) -> Json:
        if content_type != "application/merge-patch+json":
            raise Refused(
                415, "UnsupportedMediaType", f"the body of the request was in an unknown format: {content_type}"
            )
        version = body.get("metadata", {}).get("resourceVersion")
        if version not in (None, found["metadata"]["resourceVersion"]):
            raise Refused(
                409,
                "Conflict",
                f'Operation cannot be fulfilled on {target.kind} "{target.name}": the object has been modified;'
                " please apply your changes to the latest version and try again",
            )
        parts = {"status": ("status",), "scale": ("spec",)}.get(target.sub, tuple({*found, *body} - {"status"}))
        changed = _merged(found, {name: value for name, value in body.items() if name in parts})
        _validate(target, changed)
        if changed != found:
            changed["metadata"] = _dense(changed["metadata"]) | {"resourceVersion": str(next(self._versions))}
        gone = "deletionTimestamp" in changed["metadata"] and not changed["metadata"].get("finalizers")
        objects = self._objects[target.key]
        objects[target.name] = changed
        if gone:
            del objects[target.name]
        return changed

    def _delete(self, target: Target, found: Json, body: Json | None) -> Json:
        if (body or {}).get("propagationPolicy") == "Foreground":
            found["metadata"] |= {"deletionTimestamp": _NOW, "finalizers": ["foregroundDeletion"]}
        else:
            del self._objects[target.key][target.name]
            if target.resource == "customresourcedefinitions":
                self._objects = {key: each for key, each in self._objects.items() if key[0] != "keda.sh"}
        return found

    def _log(self, pod: Json, query: dict[str, list[str]]) -> str:
        name = pod["metadata"]["name"]
        statuses = pod.get("status", {}).get("containerStatuses", ())
        container = query["container"][0]
        if container not in {each["name"] for each in pod["spec"]["containers"]}:
            raise Refused(400, "BadRequest", f"container {container} is not valid for pod {name}")
        if any("waiting" in each["state"] for each in statuses):
            raise Refused(400, "BadRequest", f'container "{container}" in pod "{name}" is waiting to start')
        lines = self.cluster.logs.get(name, "").splitlines(keepends=True)
        return "".join(lines[-int(query["tailLines"][0]) :])


def _validate(target: Target, body: Json) -> None:
    model = _MODELS.get(target.resource)
    if model is not None:
        try:
            model.from_dict(body)
        except pydantic.ValidationError as error:
            raise Refused(422, "Invalid", str(error)) from None


def _merged(old: Any, change: Any) -> Any:
    """RFC 7396."""
    if not isinstance(change, dict):
        return change
    merged = dict(old) if isinstance(old, dict) else {}
    for name, value in change.items():
        if value is None:
            merged.pop(name, None)
        else:
            merged[name] = _merged(merged.get(name), value)
    return merged


def _dense(metadata: Json) -> Json:
    """The API leaves empty maps out of what it keeps."""
    return {name: value for name, value in metadata.items() if value not in ({}, [], None)}


@contextmanager
def recorded_cluster() -> Iterator[KubeCluster]:
    """Serve until the context ends."""
    recorded = Recorded()

    class Api(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True  # head and body are two writes

        def _reply(self) -> None:
            length = int(self.headers.get("Content-Length") or 0)
            body = json.loads(self.rfile.read(length)) if length else None
            token, content_type = self.headers.get("Authorization", ""), self.headers.get("Content-Type", "")
            try:
                code, answer = 200, recorded.answer(self.command, self.path, token, content_type, body)
            except Refused as error:
                code, answer = error.code, error.status
            content = answer.encode() if isinstance(answer, str) else json.dumps(answer).encode()
            self.send_response(code)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        do_GET = do_POST = do_PATCH = do_DELETE = _reply

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Api)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    recorded.cluster = KubeCluster(f"http://127.0.0.1:{server.server_address[1]}")
    try:
        yield recorded.cluster
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
