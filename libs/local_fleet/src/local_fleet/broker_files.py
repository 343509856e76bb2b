"""The files and variables of a private RabbitMQ node: everything that keeps it apart from a system broker."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from local_fleet.ports import LOOPBACK

_MIB = 1024 * 1024

#: The most memory the node takes before it blocks publishers, in bytes; small machines give 40 %.
_MEMORY_LIMIT = 2048 * _MIB

#: Free disk below which the node blocks publishers, in bytes. Far under RabbitMQ's own advice: a laptop is no server.
_DISK_FREE_LIMIT = 256 * _MIB

#: Size of one write-ahead log of the quorum queues, in bytes. The default (512 MiB) is held in memory too.
_WAL_SIZE = 128 * _MIB


#: Queue depths drive the scaling: quorum queues should count theirs every second, not every five.
_ADVANCED = "[{rabbit, [{quorum_tick_interval, 1000}]}].\n"

#: Milliseconds a consumer may hold a message unacknowledged: a day. Queues have their own, shorter ones.
_CONSUMER_TIMEOUT_MS = 24 * 3600 * 1000


@dataclass(frozen=True)
class BrokerAddress:
    """Where a broker is reached; the first two addresses carry user and password."""

    amqp_url: str
    management_url: str
    #: Metrics of the node for Prometheus, without a path and without a login; empty: it tells none.
    metrics_url: str = ""


@dataclass(frozen=True)
class NodePlan:
    """One private node: its folder, name, ports and the user it makes at its first start."""

    folder: Path
    name: str
    amqp_port: int
    management_port: int
    distribution_port: int
    epmd_port: int
    user: str
    password: str
    #: The one address it listens on.
    host: str = LOOPBACK
    #: Where Prometheus reads the node's metrics; 0: nowhere.
    metrics_port: int = 0

    @property
    def address(self) -> BrokerAddress:
        """Where clients reach the node."""
        login = f"{quote(self.user, safe='')}:{quote(self.password, safe='')}@{self.host}"
        return BrokerAddress(
            amqp_url=f"amqp://{login}:{self.amqp_port}/%2F",
            management_url=f"http://{login}:{self.management_port}",
            metrics_url=f"http://{self.host}:{self.metrics_port}" if self.metrics_port else "",
        )

    @property
    def ports(self) -> tuple[int, ...]:
        """Every port the node and its epmd listen on."""
        ports = (self.amqp_port, self.management_port, self.distribution_port, self.epmd_port, self.metrics_port)
        return tuple(port for port in ports if port)


def render_config(plan: NodePlan, memory_bytes: int) -> str:
    """rabbitmq.conf of the node on a machine with `memory_bytes` of memory."""
    watermark = min(_MEMORY_LIMIT, memory_bytes * 2 // 5)
    return "\n".join(
        (
            f"listeners.tcp.local = {plan.host}:{plan.amqp_port}",
            f"management.tcp.ip = {plan.host}",
            f"management.tcp.port = {plan.management_port}",
            *_metrics_listener(plan),
            f"default_user = {plan.user}",
            f"default_pass = {plan.password}",
            f"vm_memory_high_watermark.absolute = {watermark}",
            f"disk_free_limit.absolute = {_DISK_FREE_LIMIT}",
            f"raft.wal_max_size_bytes = {_WAL_SIZE}",
            "collect_statistics_interval = 1000",
            # The management API's figures are as old as its finest samples: five seconds, unless told otherwise.
            "management.sample_retention_policies.global.minute = 1",
            "management.sample_retention_policies.global.hour = 60",
            "management.sample_retention_policies.basic.minute = 1",
            "management.sample_retention_policies.basic.hour = 60",
            "management.sample_retention_policies.detailed.10 = 1",
            # Before 3.12 a queue's own x-consumer-timeout is ignored, and half an hour is short for a film.
            f"consumer_timeout = {_CONSUMER_TIMEOUT_MS}",
            "log.console = false",
            "log.file = broker.log",
            "log.file.level = info",
            "",
        )
    )


def _metrics_listener(plan: NodePlan) -> tuple[str, ...]:
    if not plan.metrics_port:
        return ()
    return (f"prometheus.tcp.ip = {plan.host}", f"prometheus.tcp.port = {plan.metrics_port}")


def write_files(plan: NodePlan, memory_bytes: int) -> None:
    """Write all the node's configuration under its folder."""
    for name in ("home", "log", "data", "conf.d"):
        (plan.folder / name).mkdir(parents=True, exist_ok=True)
    (plan.folder / "rabbitmq.conf").write_text(render_config(plan, memory_bytes))
    (plan.folder / "rabbitmq.conf").chmod(0o600)
    plugins = ["rabbitmq_management", *(["rabbitmq_prometheus"] if plan.metrics_port else [])]
    (plan.folder / "enabled_plugins").write_text(f"[{','.join(plugins)}].\n")
    # All of our own, so that those under /etc/rabbitmq are never read.
    (plan.folder / "advanced.config").write_text(_ADVANCED)
    (plan.folder / "rabbitmq-env.conf").write_text("")


def node_environment(plan: NodePlan, inherited: Mapping[str, str]) -> dict[str, str]:
    """Give the environment of the node's process: the caller's, without anything that configures another node."""
    kept = {
        name: value
        for name, value in inherited.items()
        if not name.startswith(("RABBITMQ_", "ERL_", "MEDIAFLOW_", "AMQP_"))
    }
    folder = plan.folder
    return kept | {
        "HOME": str(folder / "home"),  # the Erlang cookie is made here
        "LC_ALL": "C.UTF-8",
        "ERL_EPMD_ADDRESS": plan.host,
        "ERL_EPMD_PORT": str(plan.epmd_port),
        "ERL_CRASH_DUMP": str(folder / "log" / "erl_crash.dump"),
        "RABBITMQ_NODENAME": plan.name,
        "RABBITMQ_DIST_PORT": str(plan.distribution_port),
        "RABBITMQ_MNESIA_BASE": str(folder / "data"),
        "RABBITMQ_LOG_BASE": str(folder / "log"),
        "RABBITMQ_PID_FILE": str(folder / "node.pid"),
        "RABBITMQ_ENABLED_PLUGINS_FILE": str(folder / "enabled_plugins"),
        "RABBITMQ_CONFIG_FILE": str(folder / "rabbitmq.conf"),
        "RABBITMQ_CONFIG_FILES": str(folder / "conf.d" / "*.conf"),
        "RABBITMQ_ADVANCED_CONFIG_FILE": str(folder / "advanced.config"),
        "RABBITMQ_CONF_ENV_FILE": str(folder / "rabbitmq-env.conf"),
        # The start script then becomes the Erlang node instead of waiting beside it: one pid to end.
        "RUNNING_UNDER_SYSTEMD": "true",
        # Idle schedulers must not spin beside ffmpeg; the distribution listens on the one address only.
        "RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS": (
            f"+sbwt none +sbwtdcpu none +sbwtdio none -kernel inet_dist_use_interface {{{plan.host.replace('.', ',')}}}"
        ),
    }


def machine_memory() -> int:
    """Memory this machine (or its control group) gives, in bytes."""
    total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    try:
        return min(total, int(Path("/sys/fs/cgroup/memory.max").read_text()))
    except (OSError, ValueError):  # no limit, or no such file
        return total
