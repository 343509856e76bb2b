"""What an operator should look at now, from a look at the fleet. Pure: the caller brings the time.

Conditions that pass by themselves within seconds (a worker that starts, statistics that lag) are not worth a look, so
each must hold for a while. Limits are those of the alerts in charts/mediaflow/rules, where there is one; the page
speaks earlier, because somebody is looking.
"""

from collections.abc import Iterator

from console.fleet.looks import ChannelLook, Concern, Severity
from console.fleet.storm import Storm
from mq_common.management import NodeAlarm

#: Seconds that a condition must hold before it is shown, and after which it is critical.
STUCK_S, STUCK_CRITICAL_S = 20.0, 300.0
UNATTENDED_S, UNATTENDED_CRITICAL_S = 15.0, 300.0
FAILED_S = 5.0
#: Lag in seconds beyond which it is worth a word: the alert's half an hour.
LONG_LAG_S = 1800.0

Key = tuple[str, str]


class Concerns:
    """Remembers since when each condition has held."""

    def __init__(self) -> None:
        self._since: dict[Key, float] = {}

    def look(self, now: float, channels: tuple[ChannelLook, ...], alarms: tuple[NodeAlarm, ...]) -> tuple[Concern, ...]:
        """Give what is worth a look at ``now`` (Unix seconds), the worst first."""
        found = [*_of_nodes(alarms), *(each for channel in channels for each in _of_channel(channel))]
        self._since = {key: self._since.get(key, now) for key, *_ in found}
        concerns = []
        for key, hold_s, critical_s, values in found:
            since = self._since[key]
            if now - since >= hold_s:
                severity: Severity = "critical" if now - since >= critical_s else "warning"
                concerns.append(Concern(key[0], severity, key[1], since, values))
        return tuple(sorted(concerns, key=lambda each: (each.severity != "critical", each.since)))


Found = tuple[Key, float, float, dict[str, object]]

_NEVER = float("inf")


def _of_nodes(alarms: tuple[NodeAlarm, ...]) -> Iterator[Found]:
    for alarm in alarms:
        yield (
            (f"{alarm.resource}-alarm", alarm.node),
            0.0,
            0.0,
            {"node": alarm.node, "amount": alarm.amount, "limit": alarm.limit},
        )


def _of_channel(channel: ChannelLook) -> Iterator[Found]:
    name, workers = channel.name, channel.workers
    paused = workers is not None and workers.paused
    if channel.storm is not Storm.NONE:
        critical_s = 0.0 if channel.storm is Storm.RAGING else _NEVER
        yield ("storm", name), 0.0, critical_s, {"rate": round(channel.redelivered_rate, 1)}
    if channel.stuck:
        yield ("stuck", name), STUCK_S, STUCK_CRITICAL_S, {"count": channel.stuck}
    if channel.ready and not channel.consumers and not paused:
        yield ("unattended", name), UNATTENDED_S, UNATTENDED_CRITICAL_S, {"count": channel.ready}
    if workers is not None and workers.failed:
        yield ("failed-workers", name), FAILED_S, _NEVER, {"count": workers.failed, "reason": workers.trouble}
    if channel.lag.seconds > LONG_LAG_S and not paused:
        yield ("lag", name), 0.0, _NEVER, {"seconds": round(channel.lag.seconds)}
