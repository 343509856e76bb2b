"""The channels file, read again when it changes: a new channel shows up without a restart."""

import time
from datetime import UTC, datetime
from pathlib import Path

import structlog

from mq_common.channels import ChannelSpec, Profile, load_channels
from mq_common.errors import ConfigurationError

log = structlog.get_logger()

#: Seconds between looks at the file.
_LOOK_S = 1.0


class ChannelsFile:
    """The channels by name. A file that can't be read any more leaves the last good one in force."""

    def __init__(self, path: Path | None, profile: Profile) -> None:
        self._path = path
        self._profile: Profile = profile
        self._channels = load_channels(path, profile)
        self._stamp = self._look()
        self._next_look = 0.0

    def current(self) -> dict[str, ChannelSpec]:
        """Give the channels as the file says now (looked at once a second)."""
        now = time.monotonic()
        if self._path is not None and now >= self._next_look:
            self._next_look = now + _LOOK_S
            stamp = self._look()
            if stamp != self._stamp:
                self._stamp = stamp
                self._read()
        return self._channels

    @property
    def changed_at(self) -> datetime | None:
        """When the file that is in force was written; None for the packaged one."""
        return datetime.fromtimestamp(self._stamp[0] / 1e9, UTC) if self._stamp else None

    def _look(self) -> tuple[int, int, int] | None:
        if self._path is None:
            return None
        try:
            seen = self._path.stat()
        except OSError:
            return None
        return seen.st_mtime_ns, seen.st_size, seen.st_ino

    def _read(self) -> None:
        try:
            self._channels = load_channels(self._path, self._profile)
        except ConfigurationError as error:
            log.warning("channels_file_unreadable", error=str(error), tip="the channels read before stay in force")
        else:
            log.info("channels_file_read", channels=list(self._channels))
