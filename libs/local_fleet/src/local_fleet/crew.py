"""The workers of one channel: as many as asked for."""

import asyncio

from local_fleet.fleet_plan import FleetPlan
from local_fleet.member import Member
from local_fleet.member_state import State
from local_fleet.run_folder import RunFolder

#: More processes of one channel than this on one machine is a typing error.
MOST_WORKERS = 64

#: What a worker gets on top of its own grace time before it is killed, in seconds.
_MARGIN_S = 10.0


class Crew:
    """Worker processes of `channel`; numbers are given from 1 and used again."""

    def __init__(self, channel: str, plan: FleetPlan, folder: RunFolder) -> None:
        self.channel = channel
        self._plan = plan
        self._folder = folder
        self._resumes_with: int | None = None
        self._held = False
        self._active: dict[int, Member] = {}
        self._leaving: dict[asyncio.Task[None], Member] = {}

    @property
    def size(self) -> int:
        """Workers that are meant to run."""
        return len(self._active)

    @property
    def wanted(self) -> int:
        """Workers that run, or will run once the channel is resumed."""
        return self.size if self._resumes_with is None else self._resumes_with

    @property
    def paused(self) -> bool:
        """Whether the channel takes nothing from its queue until it is resumed."""
        return self._resumes_with is not None

    @property
    def held(self) -> bool:
        """Whether somebody fixed the number by hand, so that the autoscaler leaves the channel alone."""
        return self._held

    @property
    def members(self) -> tuple[Member, ...]:
        """All workers, those on their way out last."""
        return (*(self._active[number] for number in sorted(self._active)), *self._leaving.values())

    def resize(self, count: int) -> None:
        """Start or stop workers until `count` are meant to run; the highest numbers go first.

        Workers that had failed for good are replaced. A paused channel keeps the number for later.
        Raises ValueError when `count` is out of range.
        """
        if not 0 <= count <= MOST_WORKERS:
            raise ValueError(f"between 0 and {MOST_WORKERS} workers")
        if self.paused:
            self._resumes_with = count
        else:
            self._run(count)

    def hold(self, count: int) -> None:
        """Resize, and keep that number until `release`. Raises ValueError when `count` is out of range."""
        self.resize(count)
        self._held = True

    def release(self) -> None:
        """Let the autoscaler decide again; a pause goes on."""
        self._held = False

    def pause(self) -> None:
        """Let every worker finish what it holds and end; how many there were is remembered."""
        if not self.paused:
            self._resumes_with = self.size
            self._run(0)

    def resume(self) -> None:
        """Run as many workers again as before the pause, or as were asked for since; one that is held stays so."""
        count, self._resumes_with = self.wanted, None
        self._run(count)

    def renew(self) -> None:
        """Put new workers in the place of those that run, which finish what they hold."""
        count = self.size
        for number in tuple(self._active):
            self._dismiss(number)
        self._run(count)

    def dissolve(self) -> None:
        """Let every worker finish what it holds and end, for good."""
        self._resumes_with = None
        self._held = False
        self._run(0)

    def _run(self, count: int) -> None:
        for number in [n for n, member in self._active.items() if member.state is State.FAILED]:
            self._dismiss(number)
        while self.size > count:
            self._dismiss(max(self._active))
        taken = {*self._active, *(_number(member) for member in self._leaving.values())}
        numbers = (n for n in range(1, 2 * MOST_WORKERS) if n not in taken)
        while self.size < count:
            number = next(numbers)
            self._active[number] = Member(self._plan.worker_spec(self.channel, number), self._folder)
            self._active[number].start()

    def _dismiss(self, number: int) -> None:
        member = self._active.pop(number)
        task = asyncio.create_task(self._see_off(member))
        self._leaving[task] = member
        task.add_done_callback(self._leaving.pop)

    async def _see_off(self, member: Member) -> None:
        await member.stop(self._plan.grace_s + _MARGIN_S)


def _number(member: Member) -> int:
    return int(member.spec.name.rpartition("-")[2])
