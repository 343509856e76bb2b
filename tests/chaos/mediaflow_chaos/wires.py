"""The wires of one kind of client: one to each node of the broker, hurt together."""

from urllib.parse import urlsplit

from mq_common.node_addresses import host_and_port, node_urls
from wire import Wire


class Wires:
    """Relays to every node in an AMQP address."""

    def __init__(self, amqp_url: str, *, relayed: bool = True) -> None:
        """`relayed=False`: there are no relays, the address is the one that was given."""
        if not relayed:
            self._wires: list[Wire] = []
            self.amqp_url = amqp_url
            return
        urls = node_urls(amqp_url)
        self._wires = [Wire(*host_and_port(url)) for url in urls]
        parts = urlsplit(urls[0])
        login = parts.netloc.rpartition("@")[0]
        hosts = ",".join(f"127.0.0.1:{wire.port}" for wire in self._wires)
        #: The address that leads through the wires.
        self.amqp_url = parts._replace(netloc=f"{login}@{hosts}").geturl()

    def freeze(self) -> None:
        """See `Wire.freeze`."""
        for wire in self._wires:
            wire.freeze()

    def hold_answers(self) -> None:
        """See `Wire.hold_answers`."""
        for wire in self._wires:
            wire.hold_answers()

    def break_all(self) -> None:
        """See `Wire.break_all`."""
        for wire in self._wires:
            wire.break_all()

    def cut(self) -> None:
        """See `Wire.cut`."""
        for wire in self._wires:
            wire.cut()

    def mend(self) -> None:
        """See `Wire.mend`."""
        for wire in self._wires:
            wire.mend()

    def close(self) -> None:
        """See `Wire.close`."""
        for wire in self._wires:
            wire.close()
