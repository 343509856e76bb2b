"""What a replay is asked for, as JSON: by the page and by programs."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints
from pydantic.alias_generators import to_camel

from console.control.fleet_control import ReplayRequest
from mq_common.replay_rules import DEFAULT_MAX_REPLAYS, ReplayPlan, Selection

#: Messages that can be chosen one by one; more are chosen by what they have in common.
MOST_EVENTS = 500

EventId = Annotated[str, StringConstraints(min_length=1, max_length=255)]


class ReplayOptions(BaseModel):
    """Which dead letters of a channel go back, and how fast. What is not given asks for everything.

    ``error``: a class, or ``-`` for those about whose error nothing is known. ``olderThanS``: seconds since the death,
    at least. ``maxReplays``: those put back so often stay. ``rate``: messages a second at most.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, alias_generator=to_camel, validate_by_name=True)

    event_ids: Annotated[tuple[EventId, ...], Field(min_length=1, max_length=MOST_EVENTS)] | None = None
    reason: Literal["rejected", "delivery_limit", "unknown"] | None = None
    error: Annotated[str, StringConstraints(min_length=1, max_length=200)] | None = None
    asset: Annotated[str, StringConstraints(min_length=1, max_length=128)] | None = None
    older_than_s: Annotated[float, Field(ge=0, le=1e9, allow_inf_nan=False)] | None = None
    max_replays: Annotated[int, Field(ge=0, le=1_000_000)] = DEFAULT_MAX_REPLAYS
    limit: Annotated[int, Field(ge=1, le=1_000_000_000)] | None = None
    rate: Annotated[float, Field(gt=0, le=100_000, allow_inf_nan=False)] | None = None
    dry_run: bool = False

    def plan(self) -> ReplayPlan:
        """Give the plan that the replayer makes of these options."""
        events = frozenset(self.event_ids) if self.event_ids is not None else None
        selection = Selection(self.reason, self.error, self.asset, self.older_than_s, self.max_replays, events)
        return ReplayPlan(selection, self.limit, self.rate, dry_run=True)

    def request(self, channel: str, *, asked_by: str) -> ReplayRequest:
        """Give what the fleet's control is asked for."""
        return ReplayRequest(
            channel=channel,
            event_ids=self.event_ids or (),
            limit=self.limit,
            reason=self.reason,
            error=self.error,
            asset=self.asset,
            older_than_s=self.older_than_s,
            max_replays=self.max_replays,
            rate=self.rate,
            dry_run=False,
            asked_by=asked_by,
        )

    def in_words(self) -> str:
        """Say them in a line of the audit."""
        said = [
            f"{len(self.event_ids)} chosen" if self.event_ids else "",
            self.reason or "",
            f"error {self.error}" if self.error else "",
            f"asset {self.asset}" if self.asset else "",
            f"older than {self.older_than_s:g} s" if self.older_than_s is not None else "",
            f"replayed fewer than {self.max_replays} times",
            f"at most {self.limit}" if self.limit else "",
            f"{self.rate:g}/s" if self.rate else "",
        ]
        return ", ".join(filter(None, said))
