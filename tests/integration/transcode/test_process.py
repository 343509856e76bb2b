"""The worker as a process: clear about its settings, and light while idle."""

import os
import subprocess
import sys

import pytest


def start(*arguments, **environment):
    """Run Python with these settings and no others; nothing is there to connect to."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("MEDIAFLOW_", "AMQP_"))}
    unreachable = {"AMQP_URL": "amqp://localhost:1/", "MEDIAFLOW_START_LIMIT_S": "1", "MEDIAFLOW_HEALTH_PORT": "0"}
    command, environment = [sys.executable, *arguments], kept | unreachable | environment
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=60, env=environment)


def test_a_setting_of_its_own_is_taken_and_then_the_broker_is_looked_for(tmp_path):
    process = start("-m", "transcode", MEDIAFLOW_TRANSCODE_THREADS="1", MEDIAFLOW_STORE_URL=f"file://{tmp_path}/store")

    assert process.returncode == 3, process.stderr


@pytest.mark.parametrize(("variable", "value"), [("THREADS", "0"), ("THREADS", "many"), ("THREDS", "1")])
def test_a_wrong_setting_ends_the_process_with_one_line_that_names_it(tmp_path, variable, value):
    store = f"file://{tmp_path}/store"
    process = start("-m", "transcode", **{f"MEDIAFLOW_TRANSCODE_{variable}": value, "MEDIAFLOW_STORE_URL": store})

    assert process.returncode == 2
    assert len(process.stderr.splitlines()) == 1
    assert f"MEDIAFLOW_TRANSCODE_{variable}" in process.stderr


def test_an_idle_worker_has_loaded_no_codec_and_no_array_library():
    code = "import sys, transcode.__main__; print([name for name in ('av', 'numpy') if name in sys.modules])"
    process = start("-c", code)

    assert process.stdout.strip() == "[]", process.stderr
