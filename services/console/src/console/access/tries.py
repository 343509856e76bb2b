"""How often somebody may try a password."""

import time
from ipaddress import IPv6Address, ip_address

from limits import parse
from limits.storage import MemoryStorage
from limits.strategies import MovingWindowRateLimiter

#: Wrong passwords from one address before it has to wait.
_ALLOWED = parse("10 per 5 minutes")

#: Bits of an IPv6 address that belong to a network: whoever has one of its addresses has them all.
_NETWORK_BITS = 64


class Tries:
    """Counts wrong passwords by address, in this process."""

    def __init__(self) -> None:
        self._limiter = MovingWindowRateLimiter(MemoryStorage())

    def wait_s(self, address: str) -> int:
        """Give how many seconds the address has to wait; 0 when it may try."""
        if self._limiter.test(_ALLOWED, _network(address)):
            return 0
        stats = self._limiter.get_window_stats(_ALLOWED, _network(address))
        return max(1, int(stats.reset_time - time.time()) + 1)

    def failed(self, address: str) -> None:
        """Count a wrong password."""
        self._limiter.hit(_ALLOWED, _network(address))


def _network(address: str) -> str:
    try:
        parsed = ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if not isinstance(parsed, IPv6Address):
        return str(parsed)
    return str(parsed.ipv4_mapped or IPv6Address(int(parsed) >> _NETWORK_BITS << _NETWORK_BITS))
