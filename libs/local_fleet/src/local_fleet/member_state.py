"""The words for a member's life and its end."""

from enum import StrEnum


class State(StrEnum):
    """Where a member is in its life."""

    STARTING = "starting"
    READY = "ready"
    RESTARTING = "restarting"
    FAILED = "failed"
    STOPPING = "stopping"
    STOPPED = "stopped"


class Ending(StrEnum):
    """How a stop went."""

    STOPPED = "stopped"
    KILLED = "killed"
    NOT_RUNNING = "was not running"
