"""A bound process dies with the one that started it."""

import signal
import subprocess
import sys
from pathlib import Path

from local_fleet.identity import ProcessIdentity
from local_fleet.lifeline import bound_command

PARENT = """
import subprocess, sys, time
from local_fleet.lifeline import bound_command
child = subprocess.Popen(bound_command(["sleep", "60"]))
print(child.pid, flush=True)
time.sleep(60)
"""


def test_a_child_dies_with_its_killed_parent(until):
    with subprocess.Popen([sys.executable, "-c", PARENT], stdout=subprocess.PIPE, text=True) as parent:
        child = ProcessIdentity.of(int(parent.stdout.readline()))
        # The binding is made by the child itself, before it becomes the command.
        until(lambda: Path(f"/proc/{child.pid}/cmdline").read_bytes().startswith(b"sleep"), "the command")
        parent.send_signal(signal.SIGKILL)
        assert child.wait(10)


def test_a_command_that_is_not_there_is_one_line_and_the_shells_exit_code():
    done = subprocess.run(bound_command(["/none/such"]), capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (127, "cannot run /none/such: No such file or directory\n")


def test_a_process_that_ends_politely_is_not_killed_and_one_that_does_not_is():
    polite = subprocess.Popen(["sleep", "60"])
    identity = ProcessIdentity.of(polite.pid)
    assert identity.end(10)
    assert polite.wait() == -signal.SIGTERM
    assert not identity.end(10)

    ignore = "import signal; signal.signal(15, signal.SIG_IGN); print(1, flush=True); signal.pause()"
    with subprocess.Popen([sys.executable, "-c", ignore], stdout=subprocess.PIPE) as deaf:
        deaf.stdout.readline()
        assert ProcessIdentity.of(deaf.pid).end(0.2)
        assert deaf.wait() == -signal.SIGKILL
