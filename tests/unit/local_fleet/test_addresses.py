"""Parts of broker addresses, for one node and for several."""

import pytest

from local_fleet.addresses import broker_without_login, listeners_of, vhost_of


@pytest.mark.parametrize(
    ("amqp_url", "shown", "vhost", "listeners"),
    [
        ("amqp://u:p@a", "amqp://a", "/", (("a", 5672),)),
        ("amqp://u:p@a:1,b:2/%2Fv", "amqp://a:1/%2Fv, amqp://b:2/%2Fv", "/v", (("a", 1), ("b", 2))),
        ("amqps://u:p@a/v,amqps://q:r@b/v", "amqps://a/v, amqps://b/v", "v", (("a", 5671), ("b", 5671))),
    ],
)
def test_an_address_is_shown_without_its_login_and_taken_apart(
    amqp_url: str, shown: str, vhost: str, listeners: tuple[tuple[str, int], ...]
) -> None:
    assert broker_without_login(amqp_url) == shown
    assert vhost_of(amqp_url) == vhost
    assert listeners_of(amqp_url) == listeners
