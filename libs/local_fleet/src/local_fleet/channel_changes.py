"""What is different in a channels file that was read again. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass

from mq_common.channels import ChannelSpec


@dataclass(frozen=True)
class ChannelChanges:
    """Names of channels, in the order of their file."""

    added: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    gone: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.added or self.changed or self.gone)


def compare(before: Mapping[str, ChannelSpec], after: Mapping[str, ChannelSpec]) -> ChannelChanges:
    """Say which channels are new, have other values, or are no longer there."""
    return ChannelChanges(
        added=tuple(name for name in after if name not in before),
        changed=tuple(name for name, spec in after.items() if name in before and before[name] != spec),
        gone=tuple(name for name in before if name not in after),
    )
