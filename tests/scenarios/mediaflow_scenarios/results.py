"""What the channels have left in the store for some assets: the truth about what is done."""

import json
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from media_common.layout import failure_key, result_key


@dataclass(frozen=True)
class Results:
    """The store in the local folder `media`."""

    media: Path

    def done(self, channel: str, assets: Iterable[str]) -> set[str]:
        """Give those of the assets whose result the channel has committed."""
        return {asset for asset in assets if (self.media / result_key(asset, channel)).exists()}

    def ended(self, channel: str, assets: Iterable[str]) -> set[str]:
        """Give those of the assets that the channel has done or given up on."""
        return {
            asset
            for asset in assets
            if (self.media / result_key(asset, channel)).exists() or (self.media / failure_key(asset, channel)).exists()
        }

    def done_by_channel(self, channels: Iterable[str], assets: Collection[str]) -> dict[str, int]:
        """Count the committed results of each channel."""
        return {channel: len(self.done(channel, assets)) for channel in channels}

    def result(self, channel: str, asset: str) -> dict[str, Any]:
        """Read a committed result."""
        return json.loads((self.media / result_key(asset, channel)).read_text())

    def failure(self, channel: str, asset: str) -> dict[str, Any] | None:
        """Read why the channel gave up on the asset; None when it did not."""
        path = self.media / failure_key(asset, channel)
        return json.loads(path.read_text()) if path.exists() else None
