"""What an upload sends: a simulated asset in JSON, or a clip as the raw body."""

import json
import mimetypes
import secrets
import time
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlencode

from mediaflow_load.settings import BadSettings, LoadSettings

_ADDRESS = "/media/upload"


@dataclass(frozen=True, slots=True)
class Body:
    """One request: the same for each try of an upload, so that the front door knows it again by its key."""

    path: str
    data: bytes
    headers: dict[str, str]


@dataclass(frozen=True, slots=True)
class Clip:
    """A video; kept in memory, for it is sent again and again."""

    name: str
    content_type: str
    data: bytes = field(repr=False)


class Uploads:
    """The bodies of one run. Two runs never name the same asset."""

    def __init__(self, settings: LoadSettings) -> None:
        self._settings = settings
        self._run = f"load-{int(time.time()):x}{secrets.token_hex(2)}"
        self._clips = read_clips(settings.clips) if settings.clips is not None else ()

    def body(self, number: int) -> Body:
        """Give what upload `number` sends."""
        asset_id = f"{self._run}-{number:06}"
        headers = {"Idempotency-Key": asset_id}
        owner = {"assetId": asset_id, "ownerId": self._settings.owner}
        if not self._clips:
            asset = owner | {"durationSec": self._settings.duration_sec}
            return Body(_ADDRESS, json.dumps(asset).encode(), headers | {"Content-Type": "application/json"})
        clip = self._clips[number % len(self._clips)]
        query = urlencode(owner | {"filename": clip.name})
        return Body(f"{_ADDRESS}?{query}", clip.data, headers | {"Content-Type": clip.content_type})


def read_clips(path: Path) -> tuple[Clip, ...]:
    """Read a video, or every video of a folder, by name. Raises BadSettings where there is none."""
    files = [path] if path.is_file() else sorted(each for each in path.iterdir() if each.is_file())
    named = ((file, mimetypes.guess_type(file.name)[0] or "") for file in files)
    clips = tuple(Clip(file.name, kind, file.read_bytes()) for file, kind in named if kind.startswith("video/"))
    if not clips:
        raise BadSettings(f"MEDIAFLOW_LOAD_CLIPS: there is no video in {path}")
    return clips
