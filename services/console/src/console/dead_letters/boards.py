"""What the page shows of a channel's dead letters."""

from dataclasses import dataclass
from datetime import timedelta

from console.channel_marks import channel_marks
from console.dead_letters.advice import Advice, advice_on
from console.dead_letters.area import DeadLetters
from console.dead_letters.looks import LookState
from mq_common.dead_letter_groups import Group
from mq_common.replay_rules import NO_ERROR_KNOWN


@dataclass(frozen=True, slots=True)
class GroupBoard:
    """A group of letters and the advice on it. ``error``: as it is asked for."""

    group: Group
    advice: Advice

    @property
    def error(self) -> str:
        """The error's class, or what stands for none that is known."""
        return self.group.error_class or NO_ERROR_KNOWN


@dataclass(frozen=True, slots=True)
class ChannelBoard:
    """A channel, what is known of its dead letters, and how its looks stand."""

    name: str
    mark: int
    state: LookState
    groups: tuple[GroupBoard, ...]
    #: Letters in the queue: at the last look, else as the fleet's poller saw it; None: nobody knows.
    count: int | None

    @property
    def age(self) -> timedelta:
        """How long ago the last look was."""
        return timedelta(seconds=self.state.snapshot.age_s if self.state.snapshot is not None else 0)


def boards_of(letters: DeadLetters) -> list[ChannelBoard]:
    """Give all channels, those with the most dead letters first."""
    boards = [board_of(letters, channel) for channel in letters.channels]
    return sorted(boards, key=lambda board: -(board.count or 0))


def board_of(letters: DeadLetters, channel: str) -> ChannelBoard:
    """Give one channel; it is looked at again in the background when that is due."""
    state = letters.look_if_due(channel)
    snapshot = state.snapshot
    groups = snapshot.groups if snapshot is not None else ()
    return ChannelBoard(
        channel,
        channel_marks(letters.channels)[channel],
        state,
        tuple(GroupBoard(group, advice_on(group.reason, group.error_class)) for group in groups),
        snapshot.depth if snapshot is not None else letters.depths().get(channel),
    )
