"""How long the topology command waits, and for what."""

from collections.abc import Iterator

import pytest
from pika.exceptions import ConnectionClosedByBroker

from mq_common import declaration
from mq_common.channels import load_channels
from mq_common.errors import BrokerUnreachable, TopologyMismatch
from mq_common.settings import BrokerSettings

SETTINGS = BrokerSettings(start_limit_s=5)
SPECS = list(load_channels().values())


class Clock:
    """Time that passes only while somebody sleeps."""

    def __init__(self) -> None:
        self.now = 100.0

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Iterator[Clock]:
    clock = Clock()
    monkeypatch.setattr(declaration, "time", clock)
    yield clock


def answering(monkeypatch: pytest.MonkeyPatch, *answers: Exception | None) -> list[float]:
    """Let attempts end so, the last one for ever; gives the patience each of them had."""
    patience: list[float] = []

    def declare(settings: BrokerSettings, specs: object) -> None:
        assert specs == SPECS
        patience.append(settings.start_limit_s)
        answer = answers[min(len(patience), len(answers)) - 1]
        if answer is not None:
            raise answer

    monkeypatch.setattr(declaration, "_declare", declare)
    return patience


def test_a_broker_that_answers_before_it_can_declare_is_asked_again(
    monkeypatch: pytest.MonkeyPatch, clock: Clock
) -> None:
    patience = answering(monkeypatch, BrokerUnreachable("541"), ConnectionClosedByBroker(320, "shutdown"), None)

    declaration.declare_patiently(SETTINGS, SPECS)

    assert patience == [5, 4, 3]


def test_what_was_wrong_last_is_said_when_the_time_is_over(monkeypatch: pytest.MonkeyPatch, clock: Clock) -> None:
    answering(monkeypatch, BrokerUnreachable("541"), ConnectionClosedByBroker(320, "shutdown"))

    with pytest.raises(BrokerUnreachable, match=r"localhost:5672 was lost: .*shutdown"):
        declaration.declare_patiently(SETTINGS, SPECS)

    assert clock.now <= 105


def test_another_argument_does_not_change_by_waiting(monkeypatch: pytest.MonkeyPatch, clock: Clock) -> None:
    patience = answering(monkeypatch, TopologyMismatch("other"))

    with pytest.raises(TopologyMismatch):
        declaration.declare_patiently(SETTINGS, SPECS)

    assert len(patience) == 1
