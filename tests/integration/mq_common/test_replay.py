"""Replays against a real broker: messages move to their one queue, and nothing is lost, changed or looped."""

import threading
from collections.abc import Callable, Sequence
from contextlib import closing, suppress

import pika
import pytest
from pika.adapters.blocking_connection import BlockingChannel

from dead_letters import TRACE, assets, bury, drain, events, kill, message_to
from mq_common import _replay_flow, dead_letter_walk, replay
from mq_common.channels import ChannelSpec
from mq_common.dead_letter_records import RecordsUnavailable
from mq_common.dead_letter_survey import survey
from mq_common.dead_letters import DeadLetter, GaveUp
from mq_common.errors import TransientError
from mq_common.events import MediaEvent
from mq_common.jobs import JobContext
from mq_common.messages import Outcome
from mq_common.publisher import ConfirmingPublisher
from mq_common.replay import Replay
from mq_common.replay_rules import ReplayPlan, Selection
from mq_common.replay_tally import Tally
from mq_common.settings import BrokerSettings
from mq_common.topology import declare_topology
from mq_workers import RecordingJob, depth, eventually, working


@pytest.fixture(autouse=True)
def queues(settings: BrokerSettings, spec: ChannelSpec) -> None:
    declare_topology(settings, [spec])


def run(settings: BrokerSettings, spec: ChannelSpec, plan: ReplayPlan | None = None, **more: object) -> Tally:
    return Replay(settings, spec, plan or ReplayPlan(), **more).run(wait_s=20)  # type: ignore[arg-type]


def bury_and_wait(settings: BrokerSettings, spec: ChannelSpec, channel: BlockingChannel, count: int) -> list[str]:
    buried = events(count)
    bury(settings, spec, buried)
    eventually(lambda: depth(channel, spec.dead_letter_queue) == count)
    return [event.asset_id for event in buried]


def in_order(settings: BrokerSettings, spec: ChannelSpec) -> list[str | None]:
    return [letter.asset_id for letter in survey(settings, spec)]


class Kept:
    """Records of a test: every third message died of bad media, the others of their tool."""

    def __init__(self, *, near: bool = False) -> None:
        self.near = near
        self.marked: list[str] = []

    def find(self, letters: Sequence[DeadLetter]) -> list[GaveUp | None]:
        return [self._of(letter) for letter in letters]

    def replayed(self, letters: Sequence[DeadLetter]) -> None:
        self.marked += [str(letter.asset_id) for letter in letters]

    @staticmethod
    def _of(letter: DeadLetter) -> GaveUp | None:
        if letter.asset_id is None:
            return None
        return GaveUp("BadMedia" if int(letter.asset_id[2:]) % 3 == 0 else "ToolFailed", "why")


def test_a_dead_letter_goes_to_its_own_queue_only_with_its_body_id_and_trace_as_they_were(
    settings: BrokerSettings, spec: ChannelSpec, channel: BlockingChannel
) -> None:
    other = spec.model_copy(update={"name": "other"})
    declare_topology(settings, [other])
    (event,) = events(1)
    kill(settings, spec, channel, [event])

    tally = run(settings, spec)

    assert (tally.depth, tally.moved, tally.failed) == (1, 1, 0)
    eventually(lambda: depth(channel, spec.queue) == 1)
    assert depth(channel, other.queue) == depth(channel, spec.dead_letter_queue) == 0
    ((properties, body),) = drain(channel, spec.queue)
    assert body == event.to_body()
    assert (properties.message_id, properties.type, properties.delivery_mode) == (event.event_id, "media.uploaded", 2)
    headers = properties.headers
    assert headers["traceparent"] == TRACE
    assert (headers["replay-count"], headers["original-reason"]) == (1, "rejected")
    assert headers["first-failed-at"].endswith("Z")
    # What the broker counts of this delivery is nothing yet.
    assert not [name for name, value in headers.items() if name.startswith("x-") and value]


def test_a_message_that_dies_again_is_replayed_as_often_as_allowed_and_then_stays_uncounted(
    settings: BrokerSettings, spec: ChannelSpec, channel: BlockingChannel
) -> None:
    kill(settings, spec, channel, events(1))
    first_failed_at = set()
    for replays in (1, 2, 3):
        assert run(settings, spec).moved == 1
        eventually(lambda: depth(channel, spec.queue) == 1)
        method, properties, _ = channel.basic_get(spec.queue)
        assert properties.headers["replay-count"] == replays
        first_failed_at.add(properties.headers["first-failed-at"])
        channel.basic_reject(method.delivery_tag, requeue=False)
        eventually(lambda: depth(channel, spec.dead_letter_queue) == 1)

    for _ in range(3):
        tally = run(settings, spec)
        assert (tally.moved, tally.over_limit) == (0, 1)
    (letter,) = survey(settings, spec)
    assert (letter.history.replays, letter.history.original_reason) == (3, "rejected")
    assert len(first_failed_at) == 1
    assert run(settings, spec, ReplayPlan(Selection(max_replays=4))).moved == 1


def test_what_does_not_match_stays_in_place_without_a_header_of_ours(
    settings: BrokerSettings, spec: ChannelSpec, channel: BlockingChannel
) -> None:
    kill(settings, spec, channel, events(9))

    tally = run(settings, spec, ReplayPlan(Selection(error="BadMedia")), records=Kept())

    assert (tally.depth, tally.moved, tally.not_selected) == (9, 3, 6)
    assert assets(channel, spec.queue) == ["a-0", "a-3", "a-6"]
    eventually(lambda: depth(channel, spec.dead_letter_queue) == 6)
    left = list(survey(settings, spec))
    assert [letter.asset_id for letter in left] == ["a-1", "a-2", "a-4", "a-5", "a-7", "a-8"]
    assert not [letter for letter in left if letter.properties.header("replay-count") is not None]


@pytest.mark.parametrize(
    ("plan", "moved"),
    [
        (ReplayPlan(Selection(asset="a-7")), ["a-7"]),
        (ReplayPlan(limit=3), ["a-0", "a-1", "a-2"]),
        (ReplayPlan(Selection(reason="rejected")), []),
        (ReplayPlan(Selection(older_than_s=1)), []),
        (ReplayPlan(dry_run=True), []),
    ],
)
def test_a_selection_moves_what_it_names_and_leaves_the_rest_in_its_order(
    settings: BrokerSettings, spec: ChannelSpec, channel: BlockingChannel, plan: ReplayPlan, moved: list[str]
) -> None:
    buried = bury_and_wait(settings, spec, channel, 10)

    tally = run(settings, spec, plan)

    assert tally.moved == len(moved)
    eventually(lambda: depth(channel, spec.queue) == len(moved))
    assert assets(channel, spec.queue) == moved
    assert in_order(settings, spec) == [asset for asset in buried if asset not in moved]


def test_one_that_matches_is_found_behind_thousands_that_do_not(
    settings: BrokerSettings, spec: ChannelSpec, channel: BlockingChannel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dead_letter_walk, "_MOST_PREFETCH", 200)
    buried = bury_and_wait(settings, spec, channel, 3000)

    tally = run(settings, spec, ReplayPlan(Selection(asset="a-2999")))

    assert (tally.moved, tally.not_selected) == (1, 2999)
    assert in_order(settings, spec) == buried[:-1]


def test_beside_a_worker_that_rejects_again_each_message_moves_once(
    settings: BrokerSettings, spec: ChannelSpec, channel: BlockingChannel
) -> None:
    def fail(event: MediaEvent, context: JobContext) -> bool:
        raise TransientError("still broken")

    impatient = spec.model_copy(update={"retries": spec.retries.model_copy(update={"count": 0})})
    buried = bury_and_wait(settings, spec, channel, 200)
    job = RecordingJob(fail)
    with working(impatient, job, settings):
        tally = run(settings, spec)
        eventually(lambda: depth(channel, spec.dead_letter_queue) == 200)

    assert tally.moved == 200
    assert sorted(job.ran) == sorted(buried)
    assert {letter.history.replays for letter in survey(settings, spec)} == {1}


@pytest.mark.parametrize("trouble", ["missing", "full"])
def test_a_queue_that_is_missing_or_full_leaves_the_messages_where_they_are_and_says_so(
    settings: BrokerSettings, spec: ChannelSpec, channel: BlockingChannel, trouble: str
) -> None:
    full = spec.model_copy(update={"name": "full", "max_length": 1})
    declare_topology(settings, [full])
    buried = bury_and_wait(settings, full, channel, 30)
    if trouble == "missing":
        channel.queue_delete(full.queue)
    else:
        fill_up(settings, full)

    tally = run(settings, full)

    assert tally.trouble is not None
    assert ("there is no queue" if trouble == "missing" else "takes no more") in tally.trouble
    assert (tally.moved, tally.refused) == (0, 30)
    assert in_order(settings, full) == buried


def fill_up(settings: BrokerSettings, spec: ChannelSpec) -> None:
    """Publish until the queue refuses: it takes a little more than its length."""
    with closing(ConfirmingPublisher(settings)) as publisher:
        (event,) = events(1)
        eventually(lambda: publisher.publish(message_to(spec.queue, event)) is Outcome.NACKED)


def test_two_replays_at_once_move_everything_once(
    settings: BrokerSettings, spec: ChannelSpec, channel: BlockingChannel
) -> None:
    buried = bury_and_wait(settings, spec, channel, 1000)
    tallies: list[Tally] = []
    threads = [threading.Thread(target=lambda: tallies.append(run(settings, spec))) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)

    assert sorted(tally.moved for tally in tallies) == [0, 1000]
    eventually(lambda: depth(channel, spec.queue) == 1000)
    assert sorted(assets(channel, spec.queue)) == sorted(buried)


def stop_when(condition: Callable[[Tally], bool], settings: BrokerSettings, spec: ChannelSpec) -> Replay:
    """A run that is asked to stop, as by a signal, as soon as its tally says so."""
    stopping: list[Replay] = []

    def look(tally: Tally) -> None:
        if condition(tally):
            stopping[0].stop()

    stopping.append(Replay(settings, spec, ReplayPlan(), records=Kept(), on_progress=look))
    return stopping[0]


def test_a_run_that_is_stopped_in_the_middle_loses_and_doubles_nothing(
    settings: BrokerSettings, spec: ChannelSpec, channel: BlockingChannel
) -> None:
    buried = bury_and_wait(settings, spec, channel, 3000)

    tally = stop_when(lambda tally: tally.moved > 100, settings, spec).run(wait_s=5)

    assert 100 < tally.moved < 3000
    assert tally.failed == 0
    eventually(lambda: depth(channel, spec.queue) == tally.moved)
    moved, left = assets(channel, spec.queue), in_order(settings, spec)
    assert moved + left == buried


def test_a_run_that_dies_between_confirm_and_ack_leaves_duplicates_and_loses_nothing(
    settings: BrokerSettings, spec: ChannelSpec, channel: BlockingChannel, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Killed(BaseException):
        pass

    def die(*_: object) -> None:
        raise Killed

    buried = bury_and_wait(settings, spec, channel, 100)
    with monkeypatch.context() as patched:
        patched.setattr(dead_letter_walk.DeadLetterWalk, "take", die)
        with suppress(Killed):
            run(settings, spec)

    twice = depth(channel, spec.queue)
    assert twice > 0
    eventually(lambda: depth(channel, spec.dead_letter_queue) == 100)
    assert in_order(settings, spec) == buried
    assert run(settings, spec).moved == 100
    eventually(lambda: depth(channel, spec.queue) == 100 + twice)
    assert set(assets(channel, spec.queue)) == set(buried)


def test_messages_held_for_long_go_back_and_the_run_goes_on(
    settings: BrokerSettings, spec: ChannelSpec, channel: BlockingChannel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(replay, "_HOLD_LIMIT_S", 0.2)
    buried = bury_and_wait(settings, spec, channel, 60)

    tally = run(settings, spec, ReplayPlan(Selection(error="BadMedia"), rate=20.0), records=Kept())

    assert tally.rounds > 1
    assert (tally.depth, tally.moved, tally.not_selected, tally.seen) == (60, 20, 40, 60)
    assert in_order(settings, spec) == [asset for asset in buried if int(asset[2:]) % 3]


def test_a_rate_is_kept(settings: BrokerSettings, spec: ChannelSpec, channel: BlockingChannel) -> None:
    bury_and_wait(settings, spec, channel, 41)
    times: list[float] = []

    import time

    def note(tally: Tally) -> None:
        if len(times) < tally.moved:
            times.extend([time.monotonic()] * (tally.moved - len(times)))

    tally = Replay(settings, spec, ReplayPlan(rate=40.0), on_progress=note).run(wait_s=5)

    assert tally.moved == 41
    assert times[-1] - times[0] > 0.8


@pytest.mark.parametrize("near", [True, False])
def test_what_is_kept_beside_moved_messages_is_marked_before_they_leave(
    settings: BrokerSettings, spec: ChannelSpec, channel: BlockingChannel, *, near: bool
) -> None:
    buried = bury_and_wait(settings, spec, channel, 200)
    kept = Kept(near=near)

    run(settings, spec, records=kept)

    assert sorted(kept.marked) == sorted(buried)


class Nowhere(Kept):
    def find(self, letters: Sequence[DeadLetter]) -> list[GaveUp | None]:
        raise RecordsUnavailable("the store is away")


@pytest.mark.parametrize("near", [True, False])
def test_without_its_records_a_replay_goes_on_unless_its_choice_depends_on_them(
    settings: BrokerSettings, spec: ChannelSpec, channel: BlockingChannel, *, near: bool
) -> None:
    buried = bury_and_wait(settings, spec, channel, 10)

    tally = run(settings, spec, ReplayPlan(Selection(error="BadMedia")), records=Nowhere(near=near))

    assert (tally.moved, tally.trouble) == (0, "why messages died can't be read: the store is away")
    assert in_order(settings, spec) == buried
    assert run(settings, spec, records=Nowhere(near=near)).moved == 10


def test_a_message_that_does_not_fit_into_frames_any_more_stays_and_holds_nobody_up(
    settings: BrokerSettings, spec: ChannelSpec, channel: BlockingChannel
) -> None:
    headers = {f"h{number}": "x" * 1000 for number in range(129)}
    headers["filling"] = "x" * (131_072 - 8 - 12 - 2 - 1 - 4 - 1 - sum(2 + len(n) + 4 + 1000 - 0 for n in headers) - 60)
    channel.basic_publish("", spec.dead_letter_queue, b"", pika.BasicProperties(delivery_mode=2, headers=headers))
    bury_and_wait_more = events(5)
    bury(settings, spec, bury_and_wait_more)
    eventually(lambda: depth(channel, spec.dead_letter_queue) == 6)

    tally = run(settings, spec)

    assert (tally.moved, tally.unsure, tally.trouble) == (5, 1, None)
    assert depth(channel, spec.dead_letter_queue) == 1


def test_large_bodies_are_not_all_in_memory_at_once(
    settings: BrokerSettings, spec: ChannelSpec, channel: BlockingChannel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_replay_flow, "_MOST_BYTES", 300_000)
    for number in range(20):
        body = str(number).encode().zfill(100_000)
        channel.basic_publish("", spec.dead_letter_queue, body, pika.BasicProperties(delivery_mode=2))
    eventually(lambda: depth(channel, spec.dead_letter_queue) == 20)

    tally = run(settings, spec)

    assert tally.moved == 20
    eventually(lambda: depth(channel, spec.queue) == 20)
    assert [int(body[-9:]) for _, body in drain(channel, spec.queue)] == list(range(20))
