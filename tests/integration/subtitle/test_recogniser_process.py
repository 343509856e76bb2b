"""The recogniser's own process: bounded, ended with the job, and without a network."""

import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest
from subtitle_runs import Runner

from media_common.errors import JobCancelled, LimitExceeded, ToolFailed
from media_fixtures.plugin import SilentListener
from subtitle.recognise.engines import choose_engine
from subtitle.settings import SubtitleSettings

Make = Callable[..., Path]


@pytest.fixture
def long_speech(speech_clip: Path, make: Make) -> Path:
    """Twenty minutes: long enough to be in the middle of it."""
    return make("long.m4a", "-stream_loop", "36", "-i", str(speech_clip), "-map", "0:a", "-c", "copy")


def recognisers() -> list[psutil.Process]:
    """Recogniser processes below this one that are really running."""
    return [child for child in psutil.Process().children(recursive=True) if is_recogniser(child)]


def is_recogniser(process: psutil.Process) -> bool:
    try:
        program, *arguments = process.cmdline() or [""]
    except psutil.Error:  # it has just ended
        return False
    return "python" in Path(program).name and "subtitle.recognise" in arguments


def eventually(condition: Callable[[], object], limit_s: float = 60) -> None:
    deadline = time.monotonic() + limit_s
    while not condition():
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.02)


class Background(threading.Thread):
    """A run on a thread, as in a worker; keeps what it raised."""

    def __init__(self, run: Callable[[], object]) -> None:
        super().__init__(daemon=True)
        self._run_it = run
        self.raised: BaseException | None = None
        self.start()

    def run(self) -> None:
        try:
            self._run_it()
        except BaseException as error:
            self.raised = error


def test_a_cancelled_job_ends_its_recogniser_at_once(long_speech: Path, run: Runner) -> None:
    background = Background(lambda: run(long_speech, engine="pocketsphinx"))
    eventually(recognisers)
    run.cancelled.set()
    background.join(5)
    assert isinstance(background.raised, JobCancelled)
    assert recognisers() == []
    assert list(run.folder.rglob("speech.s16")) == []


def test_a_recogniser_that_crashes_costs_an_attempt_and_not_the_worker(long_speech: Path, run: Runner) -> None:
    background = Background(lambda: run(long_speech, engine="pocketsphinx"))
    eventually(recognisers)
    for recogniser in recognisers():
        recogniser.kill()
    background.join(10)
    assert isinstance(background.raised, ToolFailed)


def test_the_time_limit_ends_the_recogniser(long_speech: Path, run: Runner) -> None:
    run.remaining_s = 3
    with pytest.raises(LimitExceeded, match="time limit"):
        run(long_speech, engine="pocketsphinx")
    assert recognisers() == []


def test_the_memory_limit_ends_whisper_and_not_the_worker(speech_clip: Path, run: Runner) -> None:
    tight = SubtitleSettings.model_construct(engine="whisper", whisper_model=None, threads=1, memory_limit_mb=200)
    # Native code that gets no memory says so, or crashes.
    with pytest.raises((LimitExceeded, ToolFailed), match=r"memory limit of 200 MiB|MEMORY_LIMIT_MB is 200"):
        run.with_settings(speech_clip, tight)
    assert recognisers() == []


def test_a_killed_worker_leaves_no_recogniser(long_speech: Path, tmp_path: Path) -> None:
    script = tmp_path / "worker.py"
    script.write_text(
        "import sys; sys.path.insert(0, sys.argv[1])\n"
        "from pathlib import Path\n"
        "from subtitle_runs import Runner\n"
        "folder = Path(sys.argv[2]); folder.mkdir()\n"
        "Runner(folder)(Path(sys.argv[3]), engine='pocketsphinx')\n"
    )
    here = str(Path(__file__).parent)
    worker = subprocess.Popen([sys.executable, str(script), here, str(tmp_path / "runs"), str(long_speech)])
    try:
        eventually(recognisers)
        (recogniser,) = recognisers()
    finally:
        worker.kill()
        worker.wait()
    eventually(lambda: not is_recogniser(recogniser), 10)


def recognise(sound: Path, model: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run Whisper's process with any call to the network made visible on its stderr."""
    watched = (
        "import runpy, socket, sys\n"
        "def refuse(*arguments, **_): sys.stderr.write('NETWORK ' + repr(arguments)); raise OSError('no network')\n"
        "socket.socket.connect = socket.getaddrinfo = socket.create_connection = refuse\n"
        "sys.argv = sys.argv[1:]\n"
        "runpy.run_module('subtitle.recognise', run_name='__main__', alter_sys=True)\n"
    )
    command = [sys.executable, "-c", watched, "subtitle.recognise", "--engine", "whisper", "--model", str(model)]
    return subprocess.run(
        [*command, str(sound)],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        env={"PATH": os.environ["PATH"]} | environment,
    )


def test_recognition_never_asks_the_network(speech_sound: Path) -> None:
    engine = choose_engine(SubtitleSettings(engine="whisper"))
    assert engine is not None
    assert engine.folder is not None
    process = recognise(speech_sound, engine.folder)
    assert process.returncode == 0, process.stderr
    assert "NETWORK" not in process.stderr
    assert "Dashwood" in process.stdout


@pytest.mark.parametrize("missing", ["folder", "tokenizer.json"])
def test_even_a_model_that_is_not_whole_does_not_ask_the_network(
    speech_sound: Path, tmp_path: Path, silent_listener: SilentListener, missing: str
) -> None:
    engine = choose_engine(SubtitleSettings(engine="whisper"))
    assert engine is not None
    assert engine.folder is not None
    folder = tmp_path / "tiny.en"
    if missing != "folder":
        folder.mkdir()
        for file in engine.folder.iterdir():
            if file.name != missing:
                (folder / file.name).symlink_to(file)
    proxy = silent_listener.url.removesuffix("/clip.mp4")
    process = recognise(speech_sound, folder, HTTPS_PROXY=proxy, HF_ENDPOINT=proxy, HF_HOME=str(tmp_path))
    assert process.returncode == 1
    assert "NETWORK" not in process.stderr
    assert silent_listener.connections == 0
