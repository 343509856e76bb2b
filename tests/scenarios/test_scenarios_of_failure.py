"""The article's scenarios of failure with small counts, one after the other on one fleet (about 45 s)."""

import pytest

pytestmark = pytest.mark.slow


def test_3_what_fails_is_retried_and_ends_in_its_own_dead_letter_queue(passes):
    said = passes("3")
    assert '"reason": "rejected"' in said


def test_4_a_message_that_crashes_its_workers_is_dead_lettered_alone(passes, fleet):
    said = passes("4")
    assert said.count("SIGKILL\n") == fleet.channels["transcode"].delivery_limit + 1


def test_5_a_requeue_storm_is_busy_and_does_nothing_and_the_metrics_show_it(passes, fleet):
    passes("5")
    assert "media.storm" not in fleet.queues.depths()


def test_6_replayed_dead_letters_reach_their_own_channel_alone(passes):
    passes("6")
