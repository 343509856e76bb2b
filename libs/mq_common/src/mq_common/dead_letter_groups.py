"""Dead letters summed up by what they have in common: channel, reason, error. Pure."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from mq_common.dead_letters import DeadLetter

#: An error's text in a list.
_MOST_CHARS = 200
#: Different ways to die that are told apart; a stranger's headers can make up any number of them.
_MOST_GROUPS = 500


@dataclass(slots=True)
class Group:
    """Dead letters of one channel that died for the same reason with the same error.

    ``error_class`` is None when nobody knows it. ``oldest`` and ``newest``: the first and the last of their latest
    deaths. ``fewest`` and ``most``: times they were replayed before. ``example_asset`` and ``example_message``: of the
    one nearest to the queue's front.
    """

    channel: str
    reason: str
    error_class: str | None
    count: int = 0
    oldest: datetime | None = None
    newest: datetime | None = None
    fewest: int = 0
    most: int = 0
    example_asset: str | None = None
    example_message: str | None = None

    def add(self, letter: DeadLetter) -> None:
        """Count one more."""
        history = letter.history
        if self.count == 0:
            self.fewest = self.most = history.replays
            self.example_asset = letter.asset_id
            if letter.gave_up is not None:
                self.example_message = " ".join(letter.gave_up.message.split())[:_MOST_CHARS]
        self.count += 1
        self.fewest, self.most = min(self.fewest, history.replays), max(self.most, history.replays)
        if (died_at := history.died_at) is not None:
            self.oldest = died_at if self.oldest is None else min(self.oldest, died_at)
            self.newest = died_at if self.newest is None else max(self.newest, died_at)


class Groups:
    """Groups of dead letters; takes no more memory than there are different ways to die."""

    def __init__(self) -> None:
        self._by_key: dict[tuple[str, str, str | None], Group] = {}
        #: Letters that died in yet another way than the 500 that are told apart.
        self.others = 0

    def add(self, channel: str, letter: DeadLetter) -> None:
        """Count a letter to its group."""
        key = (channel, letter.history.reason, letter.error_class)
        group = self._by_key.get(key)
        if group is None:
            if len(self._by_key) >= _MOST_GROUPS:
                self.others += 1
                return
            group = self._by_key[key] = Group(*key)
        group.add(letter)

    def __iter__(self) -> Iterator[Group]:
        """Give the groups, by channel in the order in which they were added, the largest first."""
        channels = list(dict.fromkeys(channel for channel, _, _ in self._by_key))
        groups = self._by_key.values()
        return iter(sorted(groups, key=lambda group: (channels.index(group.channel), -group.count)))
