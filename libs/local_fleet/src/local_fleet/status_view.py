"""The fleet's status as tables."""

from collections.abc import Mapping
from typing import Any

from rich.console import Console
from rich.filesize import decimal
from rich.table import Table

from local_fleet.addresses import vhost_of, without_login
from mq_common.errors import BrokerUnreachable
from mq_common.management import ManagementClient, QueueDepth

Status = Mapping[str, Any]


def read_depths(status: Status) -> dict[str, QueueDepth] | str:
    """Ask the broker for the queues' depths; gives the reason in words when that is not possible."""
    broker = status["broker"]
    if not broker["management_url"]:
        return "set MEDIAFLOW_MANAGEMENT_URL to see queues"
    try:
        return ManagementClient(broker["management_url"], vhost=vhost_of(broker["amqp_url"])).queue_depths()
    except BrokerUnreachable as error:
        return str(error)


def print_status(status: Status, depths: dict[str, QueueDepth] | str, console: Console) -> None:
    """Print processes, queues and addresses."""
    console.print(_processes(status))
    console.print(_queues(status, depths) if isinstance(depths, dict) else f"queues: {depths}")
    for replay in status["replays"]:
        console.print(_replay(replay))
    console.print(_addresses(status))


def say_workers(count: int) -> str:
    """Say how many: `1 worker`, `2 workers`."""
    return f"{count} worker{'s' * (count != 1)}"


def decided_by(channel: Status) -> str:
    """Say who decides how many workers the channel has, where it is not the last who said `scale`."""
    if channel["scaled_by"] == "hand":
        return ""
    return ", held" if channel["held"] else f", autoscaled {channel['min']}–{channel['max']}"


def duration(seconds: float | None) -> str:
    """Say a duration briefly: `42 s`, `3 min`, `2 h 5 min`."""
    if seconds is None:
        return "-"
    minutes, rest = divmod(int(seconds), 60)
    if not minutes:
        return f"{rest} s"
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min"


def _processes(status: Status) -> Table:
    table = _table("process", "state", "pid", "up", "restarts", "memory", "last trouble", "probe")
    for each in status["processes"]:
        table.add_row(
            each["name"],
            each["state"],
            str(each["pid"] or "-"),
            duration(each["uptime"]),
            str(each["restarts"]),
            decimal(each["memory"]) if each["memory"] else "-",
            each["reason"],
            f"{each['address']}/readyz" if each["address"] else "-",
        )
    return table


def _queues(status: Status, depths: Mapping[str, QueueDepth]) -> Table:
    table = _table("queue", "ready", "unacked", "consumers", "dead letters", "workers")
    for channel in status["channels"].values():
        depth = depths.get(channel["queue"])
        dead = depths.get(f"{channel['queue']}.dlq")
        figures = (depth.ready, depth.unacked, depth.consumers) if depth else ("-", "-", "-")
        workers = f"paused ({channel['wanted']})" if channel["paused"] else f"{channel['workers']}{decided_by(channel)}"
        table.add_row(channel["queue"], *map(str, figures), str(dead.total if dead else "-"), workers)
    return table


def _addresses(status: Status) -> Table:
    table = Table.grid(padding=(0, 2))
    broker = status["broker"]
    table.add_row("ingest", status["ingest"])
    table.add_row("console", status["console"] or "off")
    table.add_row("broker", f"{broker['address']}  ({broker['kind']})")
    if broker["management_url"]:
        table.add_row("management", without_login(broker["management_url"]))
    table.add_row("autoscale", "on" if status["autoscale"] else "off")
    return table


def _replay(replay: Status) -> str:
    so_far = replay["progress"]
    far = f"looked at {so_far.get('seen', 0)} of {so_far.get('total') or '?'}, moved {so_far.get('moved', 0)}"
    return f"replay of {replay['channel']}: {far}{' (stopping)' * replay['stopping']}"


def _table(*columns: str) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in columns:
        table.add_column(column, overflow="fold")
    return table
