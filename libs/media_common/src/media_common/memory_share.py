"""How much memory a job's child may take, which in a container is less than the settings' default.

A child that goes over its own limit fails its job with a reason. One that goes over the container's takes the worker
along: the kernel ends them both, and again at every redelivery.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import TypeVar

from pydantic_settings import BaseSettings

S = TypeVar("S", bound=BaseSettings)

#: Where a container's limit stands: control groups of version 2, then of version 1. Bytes.
CGROUP_LIMITS = (Path("/sys/fs/cgroup/memory.max"), Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"))

_MIB = 2**20
#: The worker itself takes about 75 MB, a probe beside the child up to 50.
_WORKER_MB = 160
#: With less no child does anything; a container that small is at the kernel's mercy.
_HARDLY_MB = 128


def within_container(settings: S, concurrency: int, *, usual_mb: int, limits: Sequence[Path] = CGROUP_LIMITS) -> S:
    """Give the settings with a ``memory_limit_mb`` that `concurrency` jobs at once can take within the container.

    usual_mb: what a usual job takes, in MiB. A child may always take that where the container holds it once: of many
    jobs, as pretended providers have them, few are large at the same time. What somebody has set is left alone, and
    so is the default where there is no container or a large one.
    """
    container = _container_bytes(limits)
    if container is None or "memory_limit_mb" in settings.model_fields_set:
        return settings
    left = container // _MIB - _WORKER_MB
    share = max(_HARDLY_MB, left // concurrency, min(usual_mb, left))
    most: int = type(settings).model_fields["memory_limit_mb"].default
    return settings.model_copy(update={"memory_limit_mb": min(most, share)})


def _container_bytes(limits: Sequence[Path]) -> int | None:
    for file in limits:
        try:
            return int(file.read_text())
        except (OSError, ValueError):  # no such control groups here, or "max": no limit
            continue
    return None
