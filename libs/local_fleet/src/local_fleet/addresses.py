"""Parts of broker addresses."""

from urllib.parse import unquote, urlsplit


def without_login(url: str) -> str:
    """Give an address without user and password, for people to read."""
    parts = urlsplit(url)
    host = parts.hostname or ""
    return parts._replace(netloc=f"{host}:{parts.port}" if parts.port else host).geturl()


def vhost_of(amqp_url: str) -> str:
    """Give the virtual host of an AMQP address; "/" when it names none."""
    return unquote(urlsplit(amqp_url).path[1:]) or "/"


def host_and_port(amqp_url: str) -> tuple[str, int]:
    """Give host and port of an AMQP address, with the protocol's usual ports."""
    parts = urlsplit(amqp_url)
    return parts.hostname or "localhost", parts.port or (5671 if parts.scheme == "amqps" else 5672)
