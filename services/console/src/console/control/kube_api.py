"""The few requests to Kubernetes' API, as plain JSON, each with a time-out and its errors in words."""

import json
import ssl
from collections.abc import Mapping
from typing import Any

import urllib3
from kubernetes import client
from kubernetes.client.exceptions import ApiException
from urllib3.util.ssl_ import create_urllib3_context

from console.control.kube_errors import Absent, Call, translate, unreachable

#: Seconds to connect, and between two packets of an answer.
_TIMEOUT_S = (3.0, 5.0)

_BASES = {"": "/api/v1", "apps": "/apis/apps/v1", "batch": "/apis/batch/v1", "keda.sh": "/apis/keda.sh/v1alpha1"}

#: One page of a list; a release has far fewer objects of a kind.
_PAGE = 500

Json = dict[str, Any]


def _trust(configuration: client.Configuration) -> ssl.SSLContext:
    """Give a context that checks the API server against the cluster's own authority, as Go's clients do.

    Python 3.13 also asks for extensions (VERIFY_X509_STRICT) that authorities of many clusters lack: key usage, or a
    key identifier. Nobody who runs such a cluster can mend that, and kubectl takes it.
    """
    context = create_urllib3_context(cert_reqs=ssl.CERT_REQUIRED if configuration.verify_ssl else ssl.CERT_NONE)
    context.verify_flags &= ~ssl.VERIFY_X509_STRICT
    if not (configuration.ssl_ca_cert or configuration.ca_cert_data):
        context.load_default_certs()
    return context


class KubeApi:
    """Requests in one namespace with the account of `configuration`. Thread-safe; makes no retries of its own."""

    def __init__(
        self, configuration: client.Configuration, namespace: str, timeout_s: tuple[float, float] = _TIMEOUT_S
    ) -> None:
        configuration.retries = False
        self._timeout_s = timeout_s
        self.namespace = namespace
        self._host = str(configuration.host)
        self._client = client.ApiClient(configuration)
        self._client.rest_client.pool_manager.connection_pool_kw["ssl_context"] = _trust(configuration)

    def close(self) -> None:
        """Let the connections go."""
        self._client.rest_client.close()

    def has_group(self, group: str) -> bool:
        """Whether the API has the group's version that we speak (its CRDs are installed)."""
        try:
            self._request(Call("get", group, "discovery", self.namespace), "GET", _BASES[group])
        except Absent:
            return False
        return True

    def find(self, group: str, resource: str, selector: str) -> list[Json]:
        """Give all objects of a kind that `selector` matches."""
        call = Call("list", group, resource, self.namespace)
        items: list[Json] = []
        more = ""
        while True:
            query = {"labelSelector": selector, "limit": str(_PAGE)} | ({"continue": more} if more else {})
            page = json.loads(self._request(call, "GET", self._path(group, resource), query=query))
            items += page["items"]
            more = page["metadata"].get("continue", "")
            if not more:
                return items

    def patch(self, group: str, resource: str, name: str, change: Json) -> None:
        """Merge `change` into an object (RFC 7396). Raises Conflict when it names an older resourceVersion."""
        call = Call("patch", group, resource, self.namespace, name)
        headers = {"Content-Type": "application/merge-patch+json"}
        self._request(call, "PATCH", self._path(group, resource, name), body=change, headers=headers)

    def create(self, group: str, resource: str, body: Json) -> Json:
        """Make an object. Raises Conflict when there is one of that name."""
        call = Call("create", group, resource, self.namespace, body["metadata"]["name"])
        created: Json = json.loads(self._request(call, "POST", self._path(group, resource), body=body))
        return created

    def delete(self, group: str, resource: str, name: str) -> None:
        """Delete an object after all that it owns has ended. Raises Absent."""
        call = Call("delete", group, resource, self.namespace, name)
        body = {"kind": "DeleteOptions", "apiVersion": "v1", "propagationPolicy": "Foreground"}
        self._request(call, "DELETE", self._path(group, resource, name), body=body)

    def log_tail(self, pod: str, container: str, lines: int) -> str:
        """Give the last lines that a container wrote. Raises Absent, ControlRefused while there is no log yet."""
        call = Call("get", "", "pods/log", self.namespace, pod)
        query = {"container": container, "tailLines": str(lines)}
        return self._request(call, "GET", f"{self._path('', 'pods', pod)}/log", query=query).decode("utf-8", "replace")

    def _path(self, group: str, resource: str, name: str = "") -> str:
        path = f"{_BASES[group]}/namespaces/{self.namespace}/{resource}"
        return f"{path}/{name}" if name else path

    def _request(
        self,
        call: Call,
        method: str,
        path: str,
        *,
        query: Mapping[str, str] | None = None,
        body: Json | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> bytes:
        wanted = {"Accept": "*/*" if call.resource == "pods/log" else "application/json"}
        if body is not None:
            wanted["Content-Type"] = "application/json"
        request = self._client.param_serialize(
            method,
            path,
            query_params=list((query or {}).items()),
            header_params=wanted | dict(headers or {}),
            body=body,
            auth_settings=["BearerToken"],
        )
        try:
            response = self._client.call_api(*request, _request_timeout=self._timeout_s)
            content: bytes = response.read() or b""  # type: ignore[no-untyped-call]
        except (urllib3.exceptions.HTTPError, OSError) as error:
            raise unreachable(self._host, _brief(error)) from None
        except ApiException as error:  # TLS
            raise unreachable(self._host, str(error.reason)) from None
        if response.status >= 300:
            raise translate(call, response.status, dict(response.headers), content)
        return content


def _brief(error: Exception) -> str:
    reason = getattr(error, "reason", None) or error
    return str(reason).rpartition(">: ")[2] or type(reason).__name__
