"""The subtitle worker's work, run on a file without a broker or a store."""

import re
import subprocess
import threading
from dataclasses import dataclass, field
from pathlib import Path

from media_common.job import Task
from media_common.probe import probe
from media_common.settings import MediaSettings
from subtitle.job import SubtitleWork
from subtitle.recognise.engines import choose_engine
from subtitle.settings import SubtitleSettings

_CUE = re.compile(r"(\d\d):(\d\d):(\d\d\.\d\d\d) --> (\d\d):(\d\d):(\d\d\.\d\d\d)\n((?:.+\n)+)")


@dataclass
class Run:
    """What one run of the work left behind."""

    details: dict[str, object]
    outputs: Path
    progress: list[tuple[float, str | None]]

    @property
    def names(self) -> list[str]:
        return sorted(path.relative_to(self.outputs).as_posix() for path in self.outputs.rglob("*") if path.is_file())

    def text(self, name: str) -> str:
        return (self.outputs / name).read_text("utf-8")

    @property
    def text_of_default(self) -> str:
        return self.text(f"{self.details['language'] or 'und'}/subtitles.vtt")


@dataclass
class Runner:
    """Runs the work on a file, as the worker would."""

    folder: Path
    cancelled: threading.Event = field(default_factory=threading.Event)
    remaining_s: float = 240.0

    def __call__(self, source: Path, **settings: object) -> Run:
        return self.with_settings(source, SubtitleSettings(**settings))  # type: ignore[arg-type]

    def with_settings(self, source: Path, subtitle: SubtitleSettings) -> Run:
        outputs = self.folder / f"outputs{len(list(self.folder.iterdir()))}"
        outputs.mkdir()
        media = MediaSettings()
        progress: list[tuple[float, str | None]] = []
        task = Task(
            asset_id="a1",
            channel="subtitle",
            source=source,
            info=probe(source, media),
            outputs=outputs,
            progress=lambda percent, step: progress.append((percent, step)),
            cancelled=self.cancelled,
            remaining=lambda: self.remaining_s,
            settings=media,
        )
        details = SubtitleWork(choose_engine(subtitle), subtitle)(task)
        return Run(dict(details), outputs, progress)


def made(*arguments: str) -> None:
    """Run ffmpeg; what it says is the failure's text."""
    command = ["ffmpeg", "-v", "error", "-nostdin", "-y", *arguments]
    run = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert run.returncode == 0, run.stderr


def shown(vtt: str) -> list[tuple[float, float, str]]:
    """Read a file's cues: start, end (seconds), text."""
    return [
        (
            int(cue[1]) * 3600 + int(cue[2]) * 60 + float(cue[3]),
            int(cue[4]) * 3600 + int(cue[5]) * 60 + float(cue[6]),
            cue[7].strip(),
        )
        for cue in _CUE.finditer(vtt)
    ]
