"""Where a request comes from: rules against other web sites that reach for the console through a browser. Pure."""

from collections.abc import Mapping
from ipaddress import ip_address
from urllib.parse import urlsplit

SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})

#: What a browser says of a request that no other site caused. "none": typed, or from a bookmark.
_OWN = frozenset({"same-origin", "none"})


def is_loopback(host: str) -> bool:
    """Whether a host without port is this machine's own: a name that no DNS answer decides about.

    >>> [is_loopback(each) for each in ("localhost", "127.0.0.1", "[::1]", "localhost.evil.example", "10.0.0.1", "")]
    [True, True, True, False, False, False]
    """
    try:
        return host.lower() == "localhost" or ip_address(host.removeprefix("[").removesuffix("]")).is_loopback
    except ValueError:
        return False


def host_of(host_header: str) -> str:
    """Give the host of a Host header without its port; empty for what is none.

    >>> host_of("[::1]:8090"), host_of("localhost:8090"), host_of("a@b:1")
    ('[::1]', 'localhost', '')
    """
    host, colon, port = host_header.rpartition(":")
    if not colon or host_header.endswith("]"):
        host, port = host_header, "0"
    return host if port.isdecimal() and not set(host) & set("@/\\?#") else ""


def is_of_other_site(method: str, headers: Mapping[str, str], own_origin: str) -> bool:
    """Whether another site caused the request in a browser.

    Its links may lead here (a navigation that only looks), nothing else. ``own_origin``: scheme, host and port.
    """
    origin, site = headers.get("Origin"), headers.get("Sec-Fetch-Site")
    if origin is not None and not _same_origin(origin, own_origin):
        return True
    if site is None or site in _OWN:
        return False
    looks = method in SAFE_METHODS and headers.get("Sec-Fetch-Mode") == "navigate"
    return not (looks and headers.get("Sec-Fetch-Dest") == "document")


def is_of_browser(headers: Mapping[str, str]) -> bool:
    """Whether a browser sent the request: it can be made to by a page, so its changes need the page's token."""
    return any(name in headers for name in ("Sec-Fetch-Site", "Origin", "Referer", "Cookie"))


def same_site_path(address: str) -> str:
    r"""Give an address to go on to, when it is one of this site; else the first page.

    >>> [same_site_path(each) for each in ("/assets?q=1", "//evil.example", "https://evil.example", "/\t/a", "/\\a")]
    ['/assets?q=1', '/', '/', '/', '/']
    """
    plain = address.isprintable() and "\\" not in address and " " not in address
    return address if plain and address.startswith("/") and not address.startswith("//") else "/"


def _same_origin(origin: str, own_origin: str) -> bool:
    return _parts(origin) is not None and _parts(origin) == _parts(own_origin)


def _parts(origin: str) -> tuple[str, str, int] | None:
    try:
        parts = urlsplit(origin.lower())
        port = parts.port or {"http": 80, "https": 443}.get(parts.scheme, 0)
    except ValueError:
        return None
    return (parts.scheme, parts.hostname, port) if parts.hostname else None
