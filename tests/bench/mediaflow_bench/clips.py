"""The videos that are worked on, made once from the clip that ships with the fleet and kept in `.cache/bench`."""

import subprocess
from pathlib import Path

from local_fleet.clip_run import bundled_clip
from mediaflow_bench.workplace import ROOT

FOLDER = ROOT / ".cache" / "bench"

_LOOP_S = 30
_QUIETLY = ("ffmpeg", "-v", "error", "-nostdin", "-y")


def picture_clip(lines: int, seconds: int) -> Path:
    """Give a 16:9 clip of so many lines at 30 frames/s, with the grain that a camera's picture has."""
    width = lines * 16 // 9
    grain = f"scale={width}:{lines},noise=alls=6:allf=t,fps=30"
    encoded = ("-c:v", "libx264", "-preset", "veryfast", "-crf", "20", "-c:a", "aac", "-b:a", "128k")
    given = ("-i", str(bundled_clip()), "-t", str(seconds))
    return _made(f"{lines}p-{seconds}s.mp4", *given, "-vf", grain, *encoded)


def long_clip(minutes: int, key_frame_interval: int) -> Path:
    """Give a 720p clip of so many minutes with at most so many frames (30 a second) from key frame to key frame.

    Thirty seconds are encoded; the rest is copied.
    """
    scaled = ("-vf", "scale=1280:720,fps=30", "-c:v", "libx264", "-preset", "veryfast", "-crf", "24")
    audio = ("-c:a", "aac", "-b:a", "96k")
    loop = _made(
        f"loop-{key_frame_interval}.mp4",
        *("-i", str(bundled_clip()), "-t", str(_LOOP_S)),
        *(*scaled, "-g", str(key_frame_interval), *audio),
    )
    times = minutes * 60 // _LOOP_S
    name = f"{minutes}min-{key_frame_interval}.mp4"
    return _made(name, "-stream_loop", str(times - 1), "-i", str(loop), "-c", "copy")


def _made(name: str, *arguments: str) -> Path:
    FOLDER.mkdir(parents=True, exist_ok=True)
    path = FOLDER / name
    if not path.exists():
        partial = path.with_name(f"partial-{name}")
        subprocess.run([*_QUIETLY, *arguments, str(partial)], check=True)
        partial.rename(path)
    return path
