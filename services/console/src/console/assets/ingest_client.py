"""A client of ingest's public API. Thread-safe; opened after a fork."""

from collections.abc import Iterable, Mapping
from typing import Any, Final
from urllib.parse import quote, urlencode

import orjson
from urllib3 import BaseHTTPResponse, HTTPConnectionPool, PoolManager, Retry, Timeout, connection_from_url
from urllib3.exceptions import HTTPError

from console.assets.ingest_errors import AnswerNotUnderstood, IngestRefused, IngestUnavailable

#: Seconds to reach ingest, and to wait for the next bytes of its answer. A burst answers when the broker has confirmed.
CONNECT_S, READ_S, BURST_S = 2.0, 10.0, 120.0

#: Kept connections; more are opened when needed, and closed again.
_KEPT_CONNECTIONS = 16

#: Bytes of the largest JSON answer that is taken.
_MOST_JSON_BYTES = 16 * 1024 * 1024

#: A kept connection may have been closed by ingest just now: what changes nothing is asked once more.
_ONCE_MORE = Retry(total=1, connect=0, redirect=0, status=0, allowed_methods=("GET", "HEAD"))

_PROBLEM_PREFIX = "urn:mediaflow:problem:"
_HTTP_ERROR = 400

Json = dict[str, Any]


class IngestClient:
    """Asks ingest at ``base_url`` (http or https, without a path).

    Its methods raise IngestUnavailable, IngestRefused and AnswerNotUnderstood (`console.assets.ingest_errors`).
    """

    def __init__(self, base_url: str, *, connect_s: float = CONNECT_S, read_s: float = READ_S) -> None:
        self.base_url: Final = base_url.rstrip("/")
        self._timeout = Timeout(connect=connect_s, read=read_s)
        self._pool: HTTPConnectionPool = connection_from_url(
            self.base_url, maxsize=_KEPT_CONNECTIONS, block=False, timeout=self._timeout
        )
        self._elsewhere = PoolManager(num_pools=4, maxsize=_KEPT_CONNECTIONS)

    def capabilities(self) -> Json:
        """Give what ingest takes: ``simulated`` (bool), ``maxUploadBytes``, ``maxBurst``."""
        return self._json("GET", "/capabilities")

    def allows_simulation(self) -> bool:
        """Tell whether simulated load (a burst) is allowed there."""
        return self.capabilities().get("simulated") is True

    def burst(self, count: int, owner_id: str = "burst") -> Json:
        """Publish so many simulated assets; gives ingest's report (burstId, accepted, confirmed, seconds …).

        Not repeatable: after IngestUnavailable some of them may be there.
        """
        body = orjson.dumps({"count": count, "ownerId": owner_id})
        headers = {"Content-Type": "application/json"}
        return self._json("POST", "/media/burst", body=body, headers=headers, read_s=BURST_S)

    def assets(self, query: Mapping[str, str]) -> Json:
        """Give a page of the list: ``assets``, ``next`` and how far a search looked."""
        return self._json("GET", f"/media?{urlencode(query)}")

    def asset(self, asset_id: str) -> Json:
        """Give an asset with its channels. Raises IngestRefused with status 404 when there is none."""
        return self._json("GET", f"/media/{quote(asset_id, safe='')}")

    def open(
        self,
        method: str,
        path: str,
        *,
        headers: Mapping[str, str],
        body: bytes | Iterable[bytes] | None = None,
        read_s: float | None = None,
    ) -> BaseHTTPResponse:
        """Send a request and give the answer as it begins, whatever its status; its bytes are read by the caller.

        The caller closes it, or releases its connection once it is read to the end. What ``body`` raises goes through.
        """
        timeout = self._timeout if read_s is None else Timeout(connect=self._timeout.connect_timeout, read=read_s)
        try:
            return self._pool.urlopen(
                method,
                path,
                body=body,
                headers=dict(headers),
                retries=_ONCE_MORE if body is None else False,
                redirect=False,
                preload_content=False,
                decode_content=False,
                timeout=timeout,
            )
        except HTTPError as error:
            raise self._unavailable(error) from error

    def open_elsewhere(self, url: str, *, headers: Mapping[str, str], read_s: float) -> BaseHTTPResponse:
        """Get what ingest has sent us on to: a signed address in the object store. See `open`."""
        if not url.startswith(("http://", "https://")):
            raise AnswerNotUnderstood(f"Ingest at {self.base_url} sends on to what is no address of a store.")
        timeout = Timeout(connect=self._timeout.connect_timeout, read=read_s)
        try:
            return self._elsewhere.request(
                "GET",
                url,
                headers=dict(headers),
                retries=_ONCE_MORE,
                redirect=False,
                preload_content=False,
                decode_content=False,
                timeout=timeout,
            )
        except HTTPError as error:
            raise IngestUnavailable(f"The object store can't be reached ({_reason(error)}).") from error

    def close(self) -> None:
        """Close the kept connections."""
        self._pool.close()
        self._elsewhere.clear()

    def _json(
        self,
        method: str,
        path: str,
        *,
        body: bytes | None = None,
        headers: Mapping[str, str] | None = None,
        read_s: float | None = None,
    ) -> Json:
        wanted = {"Accept": "application/json"} | dict(headers or {})
        answer = self.open(method, path, headers=wanted, body=body, read_s=read_s)
        try:
            data = answer.read(_MOST_JSON_BYTES)
        except HTTPError as error:
            answer.close()
            raise self._unavailable(error) from error
        answer.release_conn()
        if answer.status >= _HTTP_ERROR:
            raise refusal_of(answer.status, answer.headers, data)
        found = _object_in(data)
        if found is None:
            raise AnswerNotUnderstood(f"What answers at {self.base_url} is not Mediaflow's ingest, or an older one.")
        return found

    def _unavailable(self, error: HTTPError) -> IngestUnavailable:
        return IngestUnavailable(f"Ingest at {self.base_url} can't be reached ({_reason(error)}).")


def refusal_of(status: int, headers: Mapping[str, str], body: bytes) -> IngestRefused:
    """Read an error's answer; one that is no problem document gives its status alone."""
    problem = _object_in(body) or {}
    kind = str(problem.get("type", "")).removeprefix(_PROBLEM_PREFIX) or f"status-{status}"
    detail = str(problem.get("detail") or problem.get("title") or f"Ingest answered with status {status}.")
    return IngestRefused(status, kind, detail, retry_after_s=_seconds(headers.get("Retry-After")), members=problem)


def _object_in(data: bytes) -> Json | None:
    try:
        found = orjson.loads(data)
    except ValueError:
        return None
    return found if isinstance(found, dict) else None


def _seconds(text: str | None) -> int | None:
    return int(text) if text and text.isascii() and text.isdigit() else None


def _reason(error: HTTPError) -> str:
    """Give the innermost reason in a few words: urllib3 wraps it in addresses of objects."""
    cause: BaseException = error
    while (inner := cause.__cause__ or cause.__context__) is not None:
        cause = inner
    text = (cause.strerror if isinstance(cause, OSError) else None) or str(cause)
    return text.rpartition(">: ")[2] or type(cause).__name__
