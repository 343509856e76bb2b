"""Inputs for the subtitle worker."""

import sys
from collections.abc import Callable, Iterator
from importlib.resources import files
from pathlib import Path

import pytest

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).resolve().parents[2])]
from subtitle_runs import Runner, made  # noqa: E402

from media_fixtures.plugin import media_fixtures, silent_listener  # noqa: E402, F401


@pytest.fixture
def run(tmp_path: Path) -> Iterator[Runner]:
    """Run the work on a file; what still runs at the test's end is cancelled."""
    folder = tmp_path / "runs"
    folder.mkdir()
    runner = Runner(folder)
    yield runner
    runner.cancelled.set()


@pytest.fixture(scope="session")
def speech_clip() -> Path:
    """33 s; one reader, three sentences with long pauses between them."""
    return Path(str(files("local_fleet") / "clips" / "speech_clip.mp4"))


@pytest.fixture(scope="session")
def speech_sound(speech_clip: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The clip's sound as the recogniser is fed: 16 kHz mono s16 without a header."""
    path = tmp_path_factory.mktemp("speech") / "clip.s16"
    made("-i", str(speech_clip), "-ac", "1", "-ar", "16000", "-f", "s16le", str(path))
    return path


@pytest.fixture
def make(tmp_path: Path) -> Callable[..., Path]:
    """Make an input with ffmpeg: ``make("name.mkv", *arguments)``."""

    def make_one(name: str, *arguments: str) -> Path:
        path = tmp_path / name
        made(*arguments, str(path))
        return path

    return make_one
