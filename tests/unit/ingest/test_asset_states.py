import doctest

import pytest

from ingest import asset_states
from ingest.asset_states import overall_status


@pytest.mark.parametrize(
    ("states", "status"),
    [
        ([], "queued"),
        (["queued", "queued"], "queued"),
        (["queued", "running"], "running"),
        (["queued", "done"], "running"),
        (["queued", "dead-lettered"], "running"),
        (["done", "running", "dead-lettered"], "running"),
        (["done", "done"], "done"),
        (["done", "dead-lettered"], "dead-lettered"),
        (["dead-lettered"], "dead-lettered"),
    ],
)
def test_the_channels_sum_up_to_one_status(states, status):
    assert overall_status(states) == status


def test_the_examples_in_the_docstrings_hold():
    assert doctest.testmod(asset_states).failed == 0
