"""The checker has to see each kind of fault, made by hand, and nothing where there is none."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from mediaflow_chaos.checker import ChannelAccount, CouldNotCheck, check
from mediaflow_chaos.evidence import ChannelEvidence, Commits, Evidence, Message
from mediaflow_chaos.uploads import Upload, Verdict

ONCE = Commits(made=1, events=frozenset({"e-a"}))
ACCEPTED = Upload("a", Verdict.ACCEPTED, "e-a")
OPEN = Upload("a", Verdict.OPEN)
REFUSED = Upload("a", Verdict.REFUSED)
DONE = ChannelEvidence(results={"a": "e-a"}, commits={"a": ONCE}, deliveries={"a": 1})
REJECTED = Message("a", "e-a", "rejected", "media.thumbnail")
CRASHED = Message("a", "e-a", "delivery_limit", "media.thumbnail")


def account(
    found: ChannelEvidence, upload: Upload = ACCEPTED, *, always_fails: bool = False, **options: Any
) -> ChannelAccount:
    """Check one asset "a" in one channel, beside another asset that is as it should be."""
    beside = replace(
        found,
        results={**found.results, "b": "e-b"},
        commits={**found.commits, "b": Commits(made=1, events=frozenset({"e-b"}))},
        deliveries={**found.deliveries, "b": 1},
    )
    uploads = {"a": upload, "b": Upload("b", Verdict.ACCEPTED, "e-b")}
    evidence = Evidence(uploads, {"thumbnail": beside})
    (result,) = check(evidence, lambda channel, asset: always_fails and asset == "a", **options)
    return result


def faults(result: ChannelAccount) -> Mapping[str, int]:
    """What is wrong, by kind."""
    kinds = ("lost", "duplicated", "unexpected", "stuck")
    found = {kind: getattr(result, kind) for kind in kinds if getattr(result, kind)}
    assert bool(found) is bool(result.faults) is not result.holds
    return found


def test_what_is_done_once_is_right() -> None:
    result = account(DONE)

    assert faults(result) == {}
    assert (result.accepted, result.done, result.dead_lettered) == (2, 2, 0)


def test_a_dead_letter_of_a_provider_that_always_fails_is_right() -> None:
    result = account(ChannelEvidence(dead_letters=[REJECTED]), always_fails=True)

    assert faults(result) == {}
    assert (result.done, result.dead_lettered) == (1, 1)


def test_an_accepted_upload_without_result_and_dead_letter_is_lost() -> None:
    assert faults(account(ChannelEvidence())) == {"lost": 1}


def test_an_upload_that_was_left_open_may_have_had_no_effect() -> None:
    assert faults(account(ChannelEvidence(), OPEN)) == {}


def test_a_result_that_was_made_twice_is_duplicated() -> None:
    twice = Commits(made=2, events=frozenset({"e-a"}))

    assert faults(account(replace(DONE, commits={"a": twice}))) == {"duplicated": 1}
    assert faults(account(replace(DONE, commits={"a": twice}), OPEN)) == {"duplicated": 1}


def test_work_that_came_twice_and_was_committed_once_is_counted_and_right() -> None:
    result = account(replace(DONE, deliveries={"a": 3}))

    assert faults(result) == {}
    assert result.duplicate_deliveries == 2


def test_a_commit_whose_worker_died_before_it_heard_is_one_commit() -> None:
    assert faults(account(replace(DONE, commits={"a": Commits(unfinished=1)}))) == {}


def test_a_result_that_nobody_was_seen_to_commit_is_unexpected() -> None:
    assert faults(account(replace(DONE, commits={}))) == {"unexpected": 1}


def test_a_committed_result_that_is_gone_is_lost_and_unexpected() -> None:
    assert faults(account(replace(DONE, results={}))) == {"lost": 1, "unexpected": 1}


def test_a_message_that_still_waits_is_stuck_and_not_lost() -> None:
    assert faults(account(ChannelEvidence(waiting=[Message("a", "e-a")]))) == {"stuck": 1}


def test_a_message_that_waits_beside_its_result_is_stuck_too() -> None:
    assert faults(account(replace(DONE, waiting=[Message("a", "e-a")]))) == {"stuck": 1}


def test_messages_that_the_queue_counts_and_does_not_show_are_stuck() -> None:
    assert faults(account(replace(DONE, hidden=2))) == {"stuck": 2}
    assert faults(account(ChannelEvidence(hidden=1))) == {"stuck": 1}


def test_an_effect_of_something_never_sent_is_unexpected() -> None:
    stranger = Message("x", "e-x", "rejected", "media.thumbnail")

    assert faults(account(replace(DONE, results={"a": "e-a", "x": "e-x"}))) == {"unexpected": 1}
    assert faults(account(replace(DONE, dead_letters=[stranger]))) == {"unexpected": 1}
    assert faults(account(replace(DONE, commits={"a": ONCE, "x": ONCE}))) == {"unexpected": 1}


def test_an_effect_of_something_refused_is_unexpected() -> None:
    assert faults(account(DONE, REFUSED)) == {"unexpected": 1}
    assert faults(account(ChannelEvidence(), REFUSED)) == {}


def test_a_result_for_another_event_than_the_accepted_one_is_unexpected() -> None:
    assert faults(account(replace(DONE, results={"a": "e-other"}))) == {"unexpected": 1}


def test_a_dead_letter_of_a_provider_that_never_fails_is_unexpected() -> None:
    assert faults(account(ChannelEvidence(dead_letters=[REJECTED]))) == {"unexpected": 1}


def test_a_result_of_a_provider_that_always_fails_is_unexpected() -> None:
    assert faults(account(DONE, always_fails=True)) == {"unexpected": 1}


def test_a_dead_letter_in_the_wrong_queue_or_for_an_odd_reason_is_unexpected() -> None:
    elsewhere = replace(REJECTED, from_queue="media.transcode")
    odd = replace(REJECTED, reason="maxlen")

    assert faults(account(ChannelEvidence(dead_letters=[elsewhere]), always_fails=True)) == {"unexpected": 1}
    assert faults(account(ChannelEvidence(dead_letters=[odd]), always_fails=True)) == {"unexpected": 1}


def test_done_and_given_up_is_two_ends_of_one_event() -> None:
    assert faults(account(replace(DONE, dead_letters=[REJECTED]))) == {"duplicated": 1}


def test_a_message_that_died_of_crashes_after_its_work_was_done_is_counted_and_right() -> None:
    result = account(replace(DONE, dead_letters=[CRASHED]))

    assert faults(result) == {}
    assert (result.dead_beside_done, result.dead_lettered, result.by_delivery_limit) == (1, 0, 1)


def test_where_only_restarts_happened_nothing_may_die_of_crashes() -> None:
    found = ChannelEvidence(dead_letters=[CRASHED])

    assert faults(account(found)) == {}
    assert faults(account(found, delivery_limit_allowed=False)) == {"unexpected": 1}


def test_what_was_in_a_deleted_queue_is_not_called_lost() -> None:
    result = account(ChannelEvidence(removed=frozenset({"a"})))

    assert faults(result) == {}
    assert result.removed == 1


def test_what_a_deleted_queues_workers_may_have_held_is_not_called_lost() -> None:
    result = account(ChannelEvidence(removed_unseen=1))

    assert faults(result) == {}
    assert result.removed == 1


def test_what_a_deleted_queue_did_not_hold_is_called_lost() -> None:
    result = account(ChannelEvidence(removed=frozenset({"another"})))

    assert (result.removed, result.lost) == (0, 1)
    assert any("neither done nor a dead letter" in fault for fault in result.faults)


def test_a_run_in_which_nothing_was_accepted_proves_nothing() -> None:
    with pytest.raises(CouldNotCheck, match="no upload was accepted"):
        check(Evidence({"a": OPEN}, {"thumbnail": DONE}), lambda *_: False)


@pytest.mark.parametrize("what", ["commit", "delivery"])
def test_a_run_in_which_nobody_was_observed_at_work_proves_nothing(what: str) -> None:
    unseen = replace(DONE, commits={}) if what == "commit" else replace(DONE, deliveries={})

    with pytest.raises(CouldNotCheck, match=f"no {what} was observed"):
        check(Evidence({"a": ACCEPTED}, {"thumbnail": unseen}), lambda *_: False)
