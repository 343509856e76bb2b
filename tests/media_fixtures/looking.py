"""Looks at made pictures and renditions with ffprobe and ffmpeg."""

import json
import subprocess
from pathlib import Path
from typing import Any


def probe_json(path: Path) -> dict[str, Any]:
    """Give ffprobe's report of a file or playlist."""
    command = ["ffprobe", "-v", "error", "-allowed_extensions", "ALL", "-show_streams", "-show_format", "-of", "json"]
    if path.suffix != ".m3u8":
        command = [word for word in command if word not in ("-allowed_extensions", "ALL")]
    run = subprocess.run([*command, str(path)], check=True, capture_output=True, timeout=60)
    report: dict[str, Any] = json.loads(run.stdout)
    return report


def key_frame_times(path: Path) -> list[float]:
    """Give the moments of a rendition's key frames, in seconds."""
    command = ["ffprobe", "-v", "error", "-select_streams", "v:0", "-show_entries", "packet=pts_time,flags"]
    run = subprocess.run([*command, "-of", "csv=p=0", str(path)], check=True, capture_output=True, timeout=60)
    rows = [line.split(",") for line in run.stdout.decode().splitlines() if line]
    return [float(row[0]) for row in rows if "K" in row[1]]


def pixels(arguments: list[str], width: int, height: int, *, first: str = "null") -> bytes:
    """Give the first picture of an ffmpeg input, filtered by `first`, shrunk to width × height, as RGB bytes."""
    filters = f"{first},scale={width}:{height}:flags=area"
    command = ["ffmpeg", "-v", "error", "-nostdin", *arguments, "-frames:v", "1", "-vf", filters]
    raw = ["-f", "rawvideo", "-pix_fmt", "rgb24", "pipe:1"]
    return subprocess.run([*command, *raw], check=True, capture_output=True, timeout=60).stdout


def difference(one: bytes, other: bytes) -> float:
    """Give the mean difference of two pictures, 0 to 255."""
    assert len(one) == len(other) > 0
    return sum(abs(a - b) for a, b in zip(one, other, strict=True)) / len(one)


def brightness(path: Path) -> float:
    """Give a picture's mean brightness, 0 to 255."""
    shrunk = pixels(["-i", str(path)], 32, 32)
    return sum(shrunk) / len(shrunk)
