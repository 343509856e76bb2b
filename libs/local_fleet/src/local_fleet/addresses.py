"""Parts of broker addresses."""

from urllib.parse import unquote, urlsplit

from mq_common.node_addresses import host_and_port, node_urls


def without_login(url: str) -> str:
    """Give an address without user and password, for people to read."""
    parts = urlsplit(url)
    host = parts.hostname or ""
    return parts._replace(netloc=f"{host}:{parts.port}" if parts.port else host).geturl()


def broker_without_login(amqp_url: str) -> str:
    """Give AMQP_URL without users and passwords; several nodes with commas."""
    return ", ".join(map(without_login, node_urls(amqp_url)))


def vhost_of(amqp_url: str) -> str:
    """Give the virtual host of AMQP_URL; "/" when it names none."""
    return unquote(urlsplit(node_urls(amqp_url)[0]).path[1:]) or "/"


def listeners_of(amqp_url: str) -> tuple[tuple[str, int], ...]:
    """Give host and port of each node in AMQP_URL, with the protocol's usual ports."""
    return tuple(host_and_port(url) for url in node_urls(amqp_url))
