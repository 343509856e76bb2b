import pytest

from console.dead_letters.advice import advice_on


@pytest.mark.parametrize(
    ("reason", "error", "place", "first"),
    [
        ("rejected", "TransientError", "code", "group"),
        ("rejected", "BadMedia", "code", "none"),
        ("rejected", "ZeroDivisionError", "code", "group"),
        ("rejected", None, "code", "one"),
        ("rejected", "InvalidEvent", "publisher", "none"),
        ("unknown", "InvalidEvent", "publisher", "none"),
        ("delivery_limit", "WorkerLost", "machines", "one"),
        ("delivery_limit", None, "machines", "one"),
        ("unknown", None, "publisher", "one"),
    ],
)
def test_each_way_to_die_has_its_place_to_look_and_its_safe_next_step(
    reason: str, error: str | None, place: str, first: str
) -> None:
    advice = advice_on(reason, error)

    assert (advice.place, advice.first) == (place, first)
