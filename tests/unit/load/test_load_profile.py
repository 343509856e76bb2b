"""When uploads are due, and how many users that takes."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mediaflow_load.agenda import Agenda
from mediaflow_load.profile import Profile

ARTICLE = Profile(200.0, 23_539, 30.0)

profiles = st.builds(
    Profile,
    st.floats(0.5, 2000),
    st.integers(1, 3000),
    st.one_of(st.just(0.0), st.floats(0.1, 300)),
)


def test_the_articles_profile_climbs_for_half_a_minute_and_takes_two_minutes_and_a_bit():
    assert ARTICLE.due(0) == 0.0
    assert ARTICLE.due(3000) == pytest.approx(30.0)
    assert ARTICLE.duration_s == pytest.approx(30 + (23_538 - 3000) / 200)


@pytest.mark.parametrize(
    ("elapsed_s", "rate", "users"),
    [(0, 0, 10), (15, 100, 100), (30, 200, 200), (100, 200, 200), (ARTICLE.duration_s + 0.01, 0, 200)],
)
def test_rate_and_users_climb_together(elapsed_s, rate, users):
    assert ARTICLE.rate_at(elapsed_s) == pytest.approx(rate)
    assert ARTICLE.users_at(elapsed_s, 200) == users


def test_few_uploads_come_to_the_top_too():
    short = Profile(100.0, 50, 30.0)
    assert short.climb_s == 0.5
    assert short.rate_at(short.duration_s) == 100.0


@given(profiles)
def test_uploads_fall_due_in_order_and_never_faster_than_the_rate(profile):
    due = [profile.due(number) for number in range(profile.requests)]
    assert due == sorted(due)
    gaps = [later - earlier for earlier, later in itertools.pairwise(due)]
    assert all(gap >= 1 / profile.rate - 1e-6 for gap in gaps[int(profile.rate * profile.climb_s / 2) + 1 :])


@given(profiles, st.integers(1, 500))
def test_users_are_never_more_than_the_most_and_never_become_fewer(profile, most):
    users = [profile.users_at(profile.duration_s * part / 20, most) for part in range(25)]
    assert users == sorted(users)
    assert 1 <= users[0] <= users[-1] <= most


@given(profiles, st.data())
def test_the_agenda_gives_every_upload_once_and_whatever_comes_again_when_it_is_due(profile, data):
    agenda = Agenda(profile)
    taken, again = [], 0
    while (due := agenda.next_due_s) is not None:
        upload = agenda.take()
        assert upload.due_s == due
        taken.append(upload)
        upload.tries += 1
        if upload.tries == 1 and again < 20 and data.draw(st.booleans()):
            again += 1
            agenda.again(upload, upload.due_s + data.draw(st.floats(0, 50)))
    assert sorted({each.number for each in taken}) == list(range(profile.requests))
    assert len(taken) == profile.requests + again
    assert [each.due_s for each in taken] == sorted(each.due_s for each in taken)
    assert agenda.all_sent
    assert agenda.waiting == 0
