"""AMQP_URL may name the nodes of a cluster."""

import pytest

from mq_common.node_addresses import host_and_port, node_urls


@pytest.mark.parametrize(
    ("text", "urls"),
    [
        ("amqp://a", ["amqp://a"]),
        ("amqp://u:p@a:5673/%2F", ["amqp://u:p@a:5673/%2F"]),
        ("amqp://u:p@a,b:5673,c/v?heartbeat=5", [f"amqp://u:p@{host}/v?heartbeat=5" for host in ("a", "b:5673", "c")]),
        ("amqp://u:p@a/v,amqps://q:r@b/v", ["amqp://u:p@a/v", "amqps://q:r@b/v"]),
        (" amqp://a/v , amqp://b, c/v ", ["amqp://a/v", "amqp://b/v", "amqp://c/v"]),
        ("amqp://u:one,two@a,b", ["amqp://u:one,two@a", "amqp://u:one,two@b"]),
        ("amqp://[::1]:5673,[::2]/v", ["amqp://[::1]:5673/v", "amqp://[::2]/v"]),
        ("amqp://a,b/one,two", ["amqp://a/one,two", "amqp://b/one,two"]),
        ("amqp://", ["amqp://"]),
    ],
)
def test_one_address_is_given_for_each_node_in_order(text: str, urls: list[str]) -> None:
    assert node_urls(text) == tuple(urls)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("http://a", "must start with amqp"),
        ("a:5672", "must start with amqp"),
        ("", "must start with amqp"),
        ("amqp://a,,b", "empty name"),
        ("amqp://a,", "empty name"),
        ("amqp://a:port", "port"),
        ("amqp://a,b:99999", "port"),
        ("amqp://a/one,amqp://b/two", "same virtual host"),
        ("amqp://secret@a:x,http://b", "port"),
    ],
)
def test_what_is_no_list_of_addresses_says_why_and_does_not_echo_it(text: str, reason: str) -> None:
    with pytest.raises(ValueError, match=reason) as caught:
        node_urls(text)
    assert "secret" not in str(caught.value)


def test_a_node_without_a_port_has_its_protocols() -> None:
    assert host_and_port("amqp://u@a") == ("a", 5672)
    assert host_and_port("amqps://a/v") == ("a", 5671)
    assert host_and_port("amqp://:5673") == ("localhost", 5673)
