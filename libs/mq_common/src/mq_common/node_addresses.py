"""AMQP_URL as the addresses of a cluster's nodes: one, or several to be tried in turn. Pure."""

import re
from urllib.parse import SplitResult, urlsplit

_DEFAULT_PORTS = {"amqp": 5672, "amqps": 5671}

#: A comma before another scheme parts whole addresses; any other may belong to a list of hosts.
_BETWEEN_ADDRESSES = re.compile(r"\s*,\s*(?=amqps?://)")
_ADDRESS = re.compile(r"(?P<scheme>amqps?)://(?:(?P<login>[^/?#]*)@)?(?P<hosts>[^/?#@]*)(?P<rest>.*)", re.DOTALL)


def node_urls(text: str) -> tuple[str, ...]:
    """Split AMQP_URL into one address for each node, in the order given.

    Both forms may be mixed: hosts that share login and virtual host, or whole addresses.

    >>> node_urls("amqp://me:secret@rabbit-0,rabbit-1:5673/media")
    ('amqp://me:secret@rabbit-0/media', 'amqp://me:secret@rabbit-1:5673/media')

    Raises ValueError, without echoing the text, when an address is none or they lead to different virtual hosts.
    """
    urls = [url for piece in _BETWEEN_ADDRESSES.split(text.strip()) for url in _of_piece(piece)]
    if len({urlsplit(url).path or "/" for url in urls}) > 1:
        raise ValueError("all addresses must lead to the same virtual host")
    return tuple(urls)


def host_and_port(url: str) -> tuple[str, int]:
    """Give host and port of one node's address, with the protocol's usual port. Raises ValueError for a bad port."""
    parts: SplitResult = urlsplit(url)
    return parts.hostname or "localhost", parts.port or _DEFAULT_PORTS.get(parts.scheme, 5672)


def _of_piece(piece: str) -> list[str]:
    found = _ADDRESS.fullmatch(piece)
    if found is None:
        raise ValueError("must start with amqp:// or amqps://")
    login = f"{found['login']}@" if found["login"] is not None else ""
    hosts = [host.strip() for host in found["hosts"].split(",")]
    if len(hosts) > 1 and not all(hosts):
        raise ValueError("has an empty name in its list of hosts")
    urls = [f"{found['scheme']}://{login}{host}{found['rest']}" for host in hosts]
    for url in urls:
        try:
            host_and_port(url)
        except ValueError:
            raise ValueError("has a port that is no number from 0 to 65535") from None
    return urls
