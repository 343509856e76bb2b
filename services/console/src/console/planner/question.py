"""What a planner can be asked."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

Count = Annotated[int, Field(ge=0, le=1_000_000)]
Seconds = Annotated[float, Field(ge=0, le=30 * 24 * 3600, allow_inf_nan=False)]
Share = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
#: More workers of one channel than this nobody asks about by intent.
Workers = Annotated[int, Field(ge=0, le=1000)]


class Question(BaseModel):
    """What is to be different from now. None leaves a figure as it was measured, or as the channels file has it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    #: Messages per second that will come.
    arrival_per_s: Annotated[float, Field(ge=0, le=10_000, allow_inf_nan=False)] | None = None
    #: So many times as much will come: 2 means that uploads double.
    arrival_times: Annotated[float, Field(ge=0, le=1000, allow_inf_nan=False)] = 1.0
    #: Messages that wait at the beginning. None: those that do.
    backlog: Count | None = None
    #: Messages that come on top of the arrivals, evenly over so many seconds from now (0: at once).
    burst: Count = 0
    burst_over_s: Seconds = 0.0
    #: The oldest waiting message is not to become older than this.
    lag_s: Annotated[float, Field(gt=0, le=30 * 24 * 3600)] = 60.0
    #: Messages (ready and unacked) for each worker; fewest and most workers; whether their number follows the queue.
    target: Annotated[int, Field(ge=1, le=1_000_000)] | None = None
    fewest: Workers | None = None
    most: Annotated[int, Field(ge=1, le=1000)] | None = None
    follows: bool | None = None
    #: Workers that run at the beginning. None: as many as do.
    workers: Workers | None = None
    #: Mean time of a job, and time until a new worker takes messages.
    job_s: Annotated[float, Field(gt=0, le=24 * 3600)] | None = None
    start_s: Seconds | None = None
    #: Share of messages that fail however often they are tried.
    failing: Share | None = None
    #: Seconds to look ahead. None: until it is clear how it ends.
    horizon_s: Annotated[float, Field(gt=0, le=7 * 24 * 3600)] | None = None
    #: Whether to search for better settings too.
    recommend: bool = True
    #: Simulations of the same situation, each with its own chances.
    seeds: Annotated[int, Field(ge=1, le=50)] = 5
