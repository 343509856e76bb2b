"""What the planner has to know of the local fleet's own settings."""

from typing import Annotated

from pydantic import Field

from mq_common.settings import Settings


class AutoscalerSettings(Settings):
    """The local autoscaler's patience, as local_fleet reads it (MEDIAFLOW_FLEET_COOLDOWN_S)."""

    #: How long fewer workers must have been enough before some are stopped, in seconds.
    fleet_cooldown_s: Annotated[float, Field(ge=0)] = 60.0
