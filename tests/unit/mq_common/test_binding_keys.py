import pytest

from mq_common.binding_keys import reaches


@pytest.mark.parametrize(
    ("binding_key", "reached"),
    [
        ("media.*", True),
        ("media.all", True),
        ("#", True),
        ("media.#", True),
        ("media.all.#", True),
        ("#.all", True),
        ("*.*", True),
        ("#.#", True),
        ("*", False),
        ("media", False),
        ("media.*.*", False),
        ("audit.*", False),
        ("media.ALL", False),
        ("", False),
    ],
)
def test_a_binding_key_is_reached_as_amqp_says(binding_key, reached):
    assert reaches("media.all", binding_key) is reached


def test_an_empty_routing_key_is_one_empty_word():
    assert reaches("", "")
    assert reaches("", "*")
    assert reaches("", "#")
