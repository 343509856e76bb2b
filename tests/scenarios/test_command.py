"""The command behind `make scenarios`: what it says, and that it ends what it started."""

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from mediaflow_scenarios.patience import until

from local_fleet.run_folder import RunFolder
from local_fleet.survivors import find_survivors

RUN = Path(__file__).with_name("run.py")


def command(*arguments: object) -> list[str]:
    return [sys.executable, str(RUN), *map(str, arguments)]


def run(*arguments: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command(*arguments), capture_output=True, text=True, timeout=60, check=False)


def test_it_lists_the_scenarios():
    done = run("--list")
    assert done.returncode == 0
    assert [line.split()[0] for line in done.stdout.splitlines()] == ["1", "1b", "2", "3", "4", "5", "6", "7"]


def test_a_scenario_there_is_none_of_is_named():
    done = run("3", "8")
    assert done.returncode == 2
    assert "no scenario 8; there are: 1 1b 2" in done.stderr


@pytest.mark.slow
def test_ctrl_c_ends_all_that_was_started_and_what_was_played_is_reported(broker, tmp_path, fleet_guard):
    folder, report = RunFolder.at(tmp_path / ".run"), tmp_path / "verdicts.json"
    address = ("--broker", broker.amqp_url, "--management", broker.management_url)
    log = tmp_path / "said.txt"
    with log.open("w") as output:
        playing = subprocess.Popen(
            # Whoever is started in the background by a shell ignores Ctrl-C, and so would its children.
            [
                "env",
                "--default-signal=INT",
                *command("--quick", "--folder", folder.path, "--json", report, *address, "1", "2"),
            ],
            stdout=output,
            stderr=output,
            start_new_session=True,
        )
    until(lambda: "Scenario 2" in log.read_text() or playing.poll() is not None, 120, "the second scenario")
    assert find_survivors(folder)

    playing.send_signal(signal.SIGINT)

    assert playing.wait(60) == 1, log.read_text()
    assert find_survivors(folder) == []
    assert "interrupted" in log.read_text()
    assert "1 of 2 passed, 1 not played" in log.read_text()
    assert [each["passed"] for each in json.loads(report.read_text())] == [True]
