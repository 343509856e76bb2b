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
