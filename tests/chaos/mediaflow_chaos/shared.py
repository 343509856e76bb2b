"""A broker that is there already, and that others use too: it is not hurt itself."""

from dataclasses import dataclass
from urllib.parse import unquote, urlsplit


@dataclass(frozen=True)
class SharedBroker:
    """Its addresses; the virtual host in the first one is the run's own, since its queues are filled."""

    amqp_url: str
    management_url: str

    @property
    def vhost(self) -> str:
        """The virtual host's name."""
        return unquote(urlsplit(self.amqp_url).path[1:]) or "/"
