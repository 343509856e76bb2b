"""The ledger on a real fleet to which somebody does, by hand, what the product must never do: it has to be seen."""

import json
import threading
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pika
import pytest
from mediaflow_chaos.campaign import Campaign, run_campaign
from mediaflow_chaos.checker import ChannelAccount
from mediaflow_chaos.faults import Fault
from mediaflow_chaos.load import LoadPlan
from mediaflow_chaos.report import Report
from mediaflow_chaos.shared import SharedBroker
from mediaflow_chaos.strikes import FaultKind, Strike
from mediaflow_chaos.world import World, world_around
from pika.adapters.blocking_connection import BlockingChannel

from mq_common.events import MediaEvent, new_event_id
from mq_common.publisher import event_message
from mq_workers import eventually


@pytest.fixture
def world(tmp_path: Path, amqp_url: str, management_url: str) -> Iterator[World]:
    with world_around(SharedBroker(amqp_url, management_url), tmp_path, workers_per_channel=1) as world:
        yield world


def run_with(world: World, folder: Path, *hits: Callable[[World, Strike], None]) -> Report:
    """Run a few seconds of load, with these deeds in its middle."""
    faults = [Fault(FaultKind(hit.__name__, hit.__name__), hit) for hit in hits]
    strikes = [Strike(1.0 + number, fault.kind.name, 0, 0.0) for number, fault in enumerate(faults)]
    load = LoadPlan(1, rate=20, clients=4, one_in_is_file=0)
    seconds = 2.0 + len(hits)
    return run_campaign(Campaign(load, seconds, strikes, faults, b"", drain_limit_s=8, lag_s=3.0), world, folder)


def of_channel(report: Report, channel: str) -> ChannelAccount:
    return next(account for account in report.accounts if account.channel == channel)


def wrong(account: ChannelAccount) -> dict[str, int]:
    kinds = ("lost", "duplicated", "unexpected", "stuck")
    return {kind: getattr(account, kind) for kind in kinds if getattr(account, kind)}


def test_each_misdeed_is_seen_in_its_channel_as_what_it_is_and_the_run_fails(world: World, tmp_path: Path) -> None:
    release = threading.Event()
    url = pika.URLParameters(world.broker.amqp_url)

    def take(channel: BlockingChannel, queue: str) -> int:
        """Get a message beside the worker; gives its tag."""
        channel.basic_qos(prefetch_count=1)
        method, _, _ = next(channel.consume(queue, inactivity_timeout=20))
        assert method is not None
        return int(method.delivery_tag)

    def send(event_id: str, asset_id: str) -> None:
        event = MediaEvent(event_id=event_id, asset_id=asset_id, owner_id="chaos", uploaded_at=datetime.now(UTC))
        message = event_message(event)
        with pika.BlockingConnection(url) as connection:
            connection.channel().basic_publish("", "media.transcode", message.body, message.properties)

    def lose_one(world: World, _: Strike) -> None:
        """Acknowledge a message that nobody has worked on."""
        with pika.BlockingConnection(url) as connection:
            channel = connection.channel()
            channel.basic_ack(take(channel, "media.thumbnail"))

    def commit_one_twice(world: World, _: Strike) -> None:
        """Remove a committed result behind everybody's back, and send its event again."""
        eventually(lambda: list(world.fleet.store.glob("assets/*/transcode/result.json")))
        result = next(world.fleet.store.glob("assets/*/transcode/result.json"))
        event_id = json.loads(result.read_bytes())["eventId"]
        result.unlink()
        send(event_id, result.parts[-3])

    def invent_one(world: World, _: Strike) -> None:
        """Send an event of an asset that nobody uploaded."""
        send(new_event_id(), "invented")

    def hold_one(world: World, _: Strike) -> None:
        """Take a message and neither work on it nor give it back."""
        held = threading.Event()

        def hold() -> None:
            with pika.BlockingConnection(url) as connection:
                take(connection.channel(), "media.subtitle")
                held.set()
                while not release.is_set():
                    connection.process_data_events(time_limit=0.2)

        threading.Thread(target=hold, daemon=True).start()
        assert held.wait(20)

    try:
        report = run_with(world, tmp_path, lose_one, commit_one_twice, invent_one, hold_one)
    finally:
        release.set()

    assert len(report.strikes) == 4, report.remarks
    assert wrong(of_channel(report, "thumbnail")) == {"lost": 1}
    assert wrong(of_channel(report, "transcode")) == {"duplicated": 1, "unexpected": 1}
    assert wrong(of_channel(report, "subtitle")) == {"stuck": 1}
    assert report.exit_code == 1


def test_a_ledger_that_can_not_read_a_queue_says_so_and_does_not_pass(world: World, tmp_path: Path) -> None:
    def delete_dead_letter_queue(world: World, _: Strike) -> None:
        with pika.BlockingConnection(pika.URLParameters(world.broker.amqp_url)) as connection:
            connection.channel().queue_delete("media.thumbnail.dlq")

    report = run_with(world, tmp_path, delete_dead_letter_queue)

    assert "media.thumbnail.dlq" in report.could_not_check
    assert report.exit_code == 3


def test_a_run_whose_faults_all_failed_to_happen_does_not_pass(world: World, tmp_path: Path) -> None:
    def impossible(world: World, _: Strike) -> None:
        raise PermissionError("not on this machine")

    report = run_with(world, tmp_path, impossible)

    assert "no fault could be made" in report.could_not_check
    assert report.exit_code == 3
