"""A virtual host of our own on somebody's broker."""

import json
from base64 import b64encode
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from urllib.parse import quote, unquote, urlsplit
from urllib.request import Request, urlopen
from uuid import uuid4

from local_fleet.broker import BrokerAddress

_PATIENCE_S = 30.0


@contextmanager
def own_vhost(broker: BrokerAddress) -> Iterator[BrokerAddress]:
    """Give the broker's address with a fresh virtual host in it; it goes away with all its queues. Raises OSError."""
    name = f"scenarios-{uuid4().hex[:12]}"
    user = unquote(urlsplit(broker.amqp_url).username or "guest")
    _call(broker, "PUT", f"vhosts/{name}", {})
    try:
        everything = {"configure": ".*", "write": ".*", "read": ".*"}
        _call(broker, "PUT", f"permissions/{name}/{quote(user, safe='')}", everything)
        yield BrokerAddress(urlsplit(broker.amqp_url)._replace(path=f"/{name}").geturl(), broker.management_url)
    finally:
        _call(broker, "DELETE", f"vhosts/{name}", None)


def _call(broker: BrokerAddress, method: str, path: str, body: Mapping[str, str] | None) -> None:
    parts = urlsplit(broker.management_url)
    login = f"{unquote(parts.username or 'guest')}:{unquote(parts.password or 'guest')}"
    request = Request(
        f"{parts.scheme}://{parts.hostname}:{parts.port}/api/{path}",
        method=method,
        data=None if body is None else json.dumps(body).encode(),
        headers={"Authorization": f"Basic {b64encode(login.encode()).decode()}", "Content-Type": "application/json"},
    )
    with urlopen(request, timeout=_PATIENCE_S):
        pass
