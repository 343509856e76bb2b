"""A private node's configuration keeps it apart from every other node."""

from dataclasses import replace

from local_fleet.addresses import without_login
from local_fleet.broker_files import NodePlan, node_environment, render_config

GIB = 1024**3


def node(tmp_path) -> NodePlan:
    return NodePlan(
        folder=tmp_path,
        name="mediaflow-1@localhost",
        amqp_port=20001,
        management_port=20002,
        distribution_port=20003,
        epmd_port=20004,
        user="mediaflow",
        password="p@ss/word",
    )


def test_it_listens_on_loopback_only_and_takes_a_share_of_small_machines(tmp_path):
    config = render_config(node(tmp_path), memory_bytes=GIB)
    assert "listeners.tcp.local = 127.0.0.1:20001" in config
    assert "management.tcp.ip = 127.0.0.1" in config
    assert f"vm_memory_high_watermark.absolute = {GIB * 2 // 5}" in config
    assert f"vm_memory_high_watermark.absolute = {2 * GIB}" in render_config(node(tmp_path), memory_bytes=64 * GIB)


def test_a_node_with_an_address_of_its_own_listens_there_and_nowhere_else(tmp_path):
    elsewhere = replace(node(tmp_path), host="198.18.0.11")
    config, environment = render_config(elsewhere, GIB), node_environment(elsewhere, {})
    assert "127.0.0.1" not in config + " ".join(environment.values()) + elsewhere.address.amqp_url
    assert "listeners.tcp.local = 198.18.0.11:20001" in config
    assert "inet_dist_use_interface {198,18,0,11}" in environment["RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS"]


def test_prometheus_reads_a_node_with_a_port_for_it_and_on_its_own_address_only(tmp_path):
    silent = node(tmp_path)
    telling = replace(silent, metrics_port=20005)
    assert "prometheus" not in render_config(silent, GIB)
    assert "prometheus.tcp.ip = 127.0.0.1\nprometheus.tcp.port = 20005" in render_config(telling, GIB)
    assert (silent.address.metrics_url, telling.address.metrics_url) == ("", "http://127.0.0.1:20005")
    assert (0 in silent.ports, 20005 in telling.ports) == (False, True)


def test_nothing_of_another_nodes_environment_gets_in(tmp_path):
    foreign = {"RABBITMQ_NODENAME": "rabbit", "ERL_FLAGS": "-x", "MEDIAFLOW_PROFILE": "media", "PATH": "/bin"}
    environment = node_environment(node(tmp_path), foreign)
    assert environment["RABBITMQ_NODENAME"] == "mediaflow-1@localhost"
    assert environment["ERL_EPMD_PORT"] == "20004"
    assert environment["PATH"] == "/bin"
    assert not {"ERL_FLAGS", "MEDIAFLOW_PROFILE"} & set(environment)
    paths = [value for name, value in environment.items() if name.endswith(("_BASE", "_FILE", "_FILES", "HOME"))]
    assert all(value.startswith(str(tmp_path)) for value in paths)


def test_addresses_quote_the_login_and_can_be_shown_without_it(tmp_path):
    address = node(tmp_path).address
    assert address.amqp_url == "amqp://mediaflow:p%40ss%2Fword@127.0.0.1:20001/%2F"
    assert without_login(address.amqp_url) == "amqp://127.0.0.1:20001/%2F"
    assert without_login(address.management_url) == "http://127.0.0.1:20002"
