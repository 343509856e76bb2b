"""A video as small as one can be: a second of colour bars."""

import subprocess
from pathlib import Path


def tiny_clip(path: Path) -> bytes:
    """Make it with ffmpeg; gives its bytes."""
    picture = ["-f", "lavfi", "-i", "testsrc2=size=64x48:rate=10:duration=1"]
    subprocess.run(
        ["ffmpeg", "-v", "error", "-y", *picture, "-c:v", "libx264", "-preset", "ultrafast", str(path)],
        check=True,
        stdin=subprocess.DEVNULL,
    )
    return path.read_bytes()
