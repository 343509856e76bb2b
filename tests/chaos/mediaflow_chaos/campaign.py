"""A whole run: load, strikes, healing, draining, and the comparison."""

import time
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from mediaflow_chaos.append_log import lines_of
from mediaflow_chaos.bursts import SentBurst, bursts_of, uploads_of_bursts
from mediaflow_chaos.checker import ChannelAccount, CouldNotCheck, check
from mediaflow_chaos.evidence import ChannelEvidence, Evidence, bursts_in, observed_in, outbox_in, results_in
from mediaflow_chaos.faults import Fault
from mediaflow_chaos.fleet import CHANNELS
from mediaflow_chaos.load import LoadGenerator, LoadPlan
from mediaflow_chaos.member import wait_until
from mediaflow_chaos.nemesis import Nemesis
from mediaflow_chaos.queues import messages_in, total_in, unfinished
from mediaflow_chaos.report import Report
from mediaflow_chaos.strikes import Strike
from mediaflow_chaos.uploads import Upload, uploads_of
from mediaflow_chaos.world import World
from mq_common.channels import load_channels
from mq_common.errors import BrokerUnreachable
from mq_common.simulation import fails

#: Seconds that open uploads get to be answered once everything is whole again.
_ANSWER_PATIENCE_S = 30.0
_WHOLE_AGAIN_S = 60.0
#: Messages that workers may have held, unacknowledged, when their queue was deleted: two workers with a prefetch of 20.
_HELD_BY_WORKERS = 40
#: A message is in its queue this long after its upload was sent at the latest, unless it waits in the outbox (seconds).
_ON_ITS_WAY_S = 15.0

#: Assets and when each was sent (seconds of `time.time`).
Sent = list[tuple[str, float]]


@dataclass(frozen=True)
class Campaign:
    """What is to be run."""

    load: LoadPlan
    seconds: float
    strikes: Sequence[Strike]
    faults: Sequence[Fault]
    clip: bytes
    delivery_limit_allowed: bool = True
    #: Make every strike, also when the time is over before the last.
    every_strike: bool = False
    #: Seconds the queues get to become empty; longer than the three minutes after which RabbitMQ tries a
    #: dead-lettering again.
    drain_limit_s: float = 240.0
    #: Seconds by which the management API's numbers may lag: the queues are empty when they were seen so for as long.
    lag_s: float = 6.0


def run_campaign(campaign: Campaign, world: World, folder: Path) -> Report:
    """Run it; gives the report, also when it could not be checked."""
    book = folder / "uploads.jsonl"
    began = time.monotonic()
    load = LoadGenerator(world.fleet.url, book, campaign.load, campaign.clip)
    nemesis = Nemesis(world, {fault.kind.name: fault for fault in campaign.faults})
    load.start()
    nemesis.carry_out(campaign.strikes, campaign.seconds, every=campaign.every_strike)
    _heal(world)
    load.stop(_ANSWER_PATIENCE_S)
    report = Report(campaign.load.seed, 0.0, {}, dict(load.answers), nemesis.done, remarks=world.remarks)
    try:
        if campaign.strikes and not nemesis.done:
            raise CouldNotCheck("no fault could be made: nothing was tested")
        bursts = bursts_of(lines_of(book), bursts_in(world.fleet.store))
        uploads = uploads_of(lines_of(book)) | uploads_of_bursts(bursts)
        report.uploads = dict(Counter(upload.verdict.value for upload in uploads.values()))
        _drain(world, campaign.drain_limit_s, campaign.lag_s)
        world.fleet.end_workers()
        report.accounts = _compare(campaign, world, uploads, _sent(book, bursts))
    except (CouldNotCheck, OSError, ValueError, KeyError) as error:
        report.could_not_check = str(error) or repr(error)
    except BrokerUnreachable as error:
        report.could_not_check = f"the queues can't be read: {error}"
    finally:
        nemesis.close()
    report.seconds = round(time.monotonic() - began, 1)
    report.remarks += _endings(world)
    return report


def _heal(world: World) -> None:
    world.heal()
    with suppress(TimeoutError):  # then something stays stuck, and the table says so
        world.fleet.await_works(_WHOLE_AGAIN_S)


def _drain(world: World, limit_s: float, lag_s: float) -> None:
    """Wait until the outbox and the work queues are empty, as long as it may take; what is left then is stuck."""
    queues = [f"media.{channel}" for channel in CHANNELS]
    empty_since: float | None = None

    def empty_for_long() -> bool:
        nonlocal empty_since
        left = outbox_in(world.fleet.store) or unfinished(world.broker.management_url, world.broker.vhost, queues)
        empty_since = None if left else empty_since or time.monotonic()
        return empty_since is not None and time.monotonic() - empty_since > lag_s

    with suppress(TimeoutError):
        wait_until(empty_for_long, "empty queues", limit_s)


def _sent(book: Path, bursts: Sequence[SentBurst]) -> Sent:
    """Give every asset that was sent, as often as it was sent, with the time."""
    single = [(line["asset"], line["at"]) for line in lines_of(book) if line["what"] == "sent" and "asset" in line]
    return single + [(asset, burst.at) for burst in bursts for asset in burst.assets]


def _compare(campaign: Campaign, world: World, uploads: dict[str, Upload], sent: Sent) -> list[ChannelAccount]:
    specs = load_channels(world.fleet.channels_file, "simulated")
    evidence = Evidence(uploads, {channel: _gather(world, channel, sent, campaign.lag_s) for channel in CHANNELS})
    return check(
        evidence,
        lambda channel, asset: fails(channel, asset, specs[channel].simulated.failure_rate),
        delivery_limit_allowed=campaign.delivery_limit_allowed,
    )


def _gather(world: World, channel: str, sent: Sent, lag_s: float) -> ChannelEvidence:
    queue = f"media.{channel}"
    waiting = messages_in(world.broker.amqp_url, queue)
    counted = _settled_total(world, queue, len(waiting), 2 * lag_s)
    commits, deliveries = observed_in(lines_of(world.fleet.effects), channel)
    return ChannelEvidence(
        results=results_in(world.fleet.store, channel),
        commits=commits,
        deliveries=deliveries,
        dead_letters=messages_in(world.broker.amqp_url, f"{queue}.dlq"),
        waiting=[*waiting, *outbox_in(world.fleet.store)],
        hidden=max(0, counted - len(waiting)),
        removed=_removed(world, channel, sent),
        removed_unseen=_removed_unseen(world, channel),
    )


def _settled_total(world: World, queue: str, expected: int, limit_s: float) -> int:
    """Count the queue's messages, once the number has had the time to become the expected one."""

    def total() -> int:
        return total_in(world.broker.management_url, world.broker.vhost, queue)

    with suppress(TimeoutError):
        wait_until(lambda: total() == expected, f"{queue} at {expected}", limit_s)
    return total()


def _removed(world: World, channel: str, sent: Sent) -> frozenset[str]:
    """Give the assets whose message went with the channel's queue, or came while there was none."""
    deletions = [deletion for deletion in world.deletions if deletion.channel == channel]
    came_meanwhile = {
        asset for deletion in deletions for asset, at in sent if deletion.since - _ON_ITS_WAY_S <= at <= deletion.until
    }
    return frozenset(came_meanwhile.union(*(deletion.taken for deletion in deletions)))


def _removed_unseen(world: World, channel: str) -> int:
    """Give how many more can have gone with the queue: nobody knows which ones workers held."""
    return sum(deletion.left + _HELD_BY_WORKERS for deletion in world.deletions if deletion.channel == channel)


def _endings(world: World) -> list[str]:
    """Remark on processes that ended in another way than asked to stop (0) or killed by the nemesis (-9)."""
    return [
        f"{member.name} ended with {code} ({count} times)"
        for member in world.fleet.members
        for code, count in Counter(member.endings).items()
        if code not in (0, -9)
    ]
