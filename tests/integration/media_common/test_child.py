import sys
import threading
import time
from pathlib import Path

import other_process
import pytest

from media_common import child, lifeline
from media_common.child import run_child
from media_common.errors import JobCancelled, LimitExceeded, ToolFailed, ToolMissing

_NO_LIMITS = {"time_limit_s": 60.0, "memory_limit_mb": None}


def _python(code: str) -> list[str]:
    return [sys.executable, "-c", code]


@pytest.fixture(params=["util-linux", "trampoline"], autouse=True)
def way_to_tie(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Every promise holds with util-linux and without it."""
    if request.param == "trampoline":
        monkeypatch.setattr(lifeline, "_tools", lambda: None)
    else:
        assert lifeline._tools() is not None
    assert isinstance(request.param, str)
    return request.param


def test_a_child_that_ends_well_is_reported(tmp_path: Path) -> None:
    work = "import sys, time; s = time.process_time()\nwhile time.process_time() - s < 0.4: pass\n"
    report = run_child(
        _python(work + "print('done'); print('note', file=sys.stderr)"),
        cwd=tmp_path,
        time_limit_s=60,
        memory_limit_mb=500,
    )

    assert report.stdout == b"done\n"
    assert report.stderr_tail == "note"
    assert 0.3 < report.user_s + report.system_s < 3
    assert report.wall_s > 0.3
    assert report.max_rss_bytes > 1_000_000


def test_arguments_arrive_as_they_are_and_no_shell_reads_them(tmp_path: Path) -> None:
    odd = ["$(touch x)", "; touch y", "a b", "-n", "*", "'\"", "ü🎬"]
    report = run_child([*_python("import sys; print(sys.argv[1:])"), *odd], cwd=tmp_path, **_NO_LIMITS)

    assert report.stdout.decode() == f"{odd}\n"
    assert list(tmp_path.iterdir()) == []


def test_lines_come_as_they_are_written(tmp_path: Path) -> None:
    seen: list[tuple[str, bool]] = []
    wait = "while not pathlib.Path('go').exists(): time.sleep(0.01)"
    code = f"import pathlib, time; print('one', flush=True)\n{wait}\nprint('two')"

    def on_line(line: str) -> None:
        seen.append((line, (tmp_path / "go").exists()))
        (tmp_path / "go").touch()

    report = run_child(_python(code), cwd=tmp_path, on_line=on_line, **_NO_LIMITS)

    assert seen == [("one", False), ("two", True)]
    assert report.stdout == b""


def test_much_output_on_both_pipes_does_not_block(tmp_path: Path) -> None:
    code = "import sys\nfor n in range(20000): print('o' * 100); print('e' * 100, n, file=sys.stderr)"
    report = run_child(_python(code), cwd=tmp_path, **_NO_LIMITS)

    assert len(report.stdout) == 20000 * 101
    assert report.stderr_tail.splitlines()[-1].endswith("19999")
    assert len(report.stderr_tail.splitlines()) == 20


def test_a_failure_tells_the_last_lines_of_standard_error(tmp_path: Path) -> None:
    code = "import sys\nfor n in range(100): print('line', n, file=sys.stderr)\nsys.exit(3)"
    with pytest.raises(ToolFailed, match="ended with code 3: line 99") as caught:
        run_child(_python(code), cwd=tmp_path, **_NO_LIMITS)

    assert caught.value.details.splitlines() == [f"line {number}" for number in range(80, 100)]


def test_a_child_ended_by_a_signal_is_a_failed_tool(tmp_path: Path) -> None:
    with pytest.raises(ToolFailed, match="SIGSEGV"):
        run_child(_python("import os; os.kill(os.getpid(), 11)"), cwd=tmp_path, **_NO_LIMITS)


def test_a_program_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(ToolMissing, match="no-such-program is not installed"):
        run_child(["no-such-program"], cwd=tmp_path, **_NO_LIMITS)


#: Says its own number and that of a grandchild that would outlive it; both would run for a minute.
_FAMILY = """
import os, subprocess, sys, time
grandchild = subprocess.Popen(["sleep", "60"])
print(os.getpid(), grandchild.pid, flush=True)
time.sleep(60)
"""


def _gone(pids: list[int]) -> bool:
    return not any(other_process.is_running(pid) for pid in pids)


def test_at_the_time_limit_the_whole_family_is_killed(tmp_path: Path) -> None:
    pids: list[int] = []
    started = time.monotonic()
    with pytest.raises(LimitExceeded, match="time limit of 1 s"):
        run_child(
            _python(_FAMILY),
            cwd=tmp_path,
            time_limit_s=1,
            memory_limit_mb=None,
            on_line=lambda line: pids.extend(map(int, line.split())),
        )

    assert time.monotonic() - started < 10
    assert len(pids) == 2
    other_process.wait_until(lambda: _gone(pids))


def test_no_time_left_means_that_nothing_is_started(tmp_path: Path) -> None:
    with pytest.raises(LimitExceeded):
        run_child(["touch", "started"], cwd=tmp_path, time_limit_s=0, memory_limit_mb=None)

    assert not (tmp_path / "started").exists()


def test_a_cancelled_job_kills_its_family_at_once(tmp_path: Path) -> None:
    pids: list[int] = []
    cancelled = threading.Event()

    def on_line(line: str) -> None:
        pids.extend(map(int, line.split()))
        cancelled.set()

    started = time.monotonic()
    with pytest.raises(JobCancelled):
        run_child(_python(_FAMILY), cwd=tmp_path, cancelled=cancelled, on_line=on_line, **_NO_LIMITS)

    assert time.monotonic() - started < 10
    other_process.wait_until(lambda: _gone(pids))


def test_an_error_in_what_reads_the_lines_kills_the_family_and_comes_through(tmp_path: Path) -> None:
    pids: list[int] = []

    def on_line(line: str) -> None:
        pids.extend(map(int, line.split()))
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        run_child(_python(_FAMILY), cwd=tmp_path, on_line=on_line, **_NO_LIMITS)

    other_process.wait_until(lambda: _gone(pids))


def test_a_grandchild_that_stays_behind_is_not_waited_for(tmp_path: Path) -> None:
    code = "import subprocess; print(subprocess.Popen(['sleep', '60']).pid)"
    started = time.monotonic()
    report = run_child(_python(code), cwd=tmp_path, **_NO_LIMITS)

    assert time.monotonic() - started < 10
    other_process.wait_until(lambda: _gone([int(report.stdout)]))


def test_a_child_that_closes_its_pipes_is_still_waited_for_and_bounded(tmp_path: Path) -> None:
    close = "import os, time; os.close(1); os.close(2); "
    run_child(
        _python(close + "time.sleep(0.3); open('late', 'w').close()"),
        cwd=tmp_path,
        **_NO_LIMITS,
    )
    assert (tmp_path / "late").exists()

    with pytest.raises(LimitExceeded):
        run_child(_python(close + "time.sleep(60)"), cwd=tmp_path, time_limit_s=0.5, memory_limit_mb=None)


def test_a_child_over_the_memory_limit_is_refused(tmp_path: Path) -> None:
    code = "x = bytearray(600 * 1024 * 1024); print(len(x))"
    with pytest.raises(LimitExceeded, match="memory limit of 300 MiB"):
        run_child(_python(code), cwd=tmp_path, time_limit_s=60, memory_limit_mb=300)

    report = run_child(_python(code), cwd=tmp_path, time_limit_s=60, memory_limit_mb=900)
    assert report.max_rss_bytes > 600 * 1024 * 1024


def test_endless_output_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(child, "STDOUT_LIMIT", 1_000_000)

    with pytest.raises(LimitExceeded, match="of output"):
        run_child(["yes"], cwd=tmp_path, **_NO_LIMITS)


def test_secrets_of_ours_do_not_reach_a_child(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AMQP_URL", "amqp://user:secret@broker")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")

    report = run_child(
        _python("import os; print(dict(os.environ))"), cwd=tmp_path, env={"HF_HUB_OFFLINE": "1"}, **_NO_LIMITS
    )

    assert b"secret" not in report.stdout
    assert b"HF_HUB_OFFLINE" in report.stdout
    assert b"PATH" in report.stdout


_PARENT = """
import sys, threading
from pathlib import Path
from media_common import lifeline
from media_common.child import run_child
if sys.argv[1] == "trampoline":
    lifeline._tools = lambda: None
family = sys.argv[2]
def job():
    run_child([sys.executable, "-c", family], cwd=Path("/"), time_limit_s=600, memory_limit_mb=None,
              on_line=lambda line: print(line, flush=True))
thread = threading.Thread(target=job)
thread.start()
thread.join()
"""
#: Would be left alone when its parent is killed without a word.
_ORPHAN = "import os, time; print(os.getpid(), flush=True); time.sleep(60)"


def test_a_child_dies_with_a_parent_that_is_killed(way_to_tie: str) -> None:
    parent = other_process.start(_PARENT, way_to_tie, _ORPHAN)
    pid = int(other_process.said(parent))
    assert other_process.is_running(pid)

    parent.kill()

    other_process.wait_until(lambda: not other_process.is_running(pid))
    parent.communicate()


def test_a_child_lives_as_long_as_its_own_thread_whatever_other_threads_do(tmp_path: Path) -> None:
    """The kernel's signal comes when the starting thread ends, so a short-lived one must not start it."""
    results: list[bytes] = []

    def job() -> None:
        code = "import time; print('in', flush=True); time.sleep(1); print('out')"
        results.append(run_child(_python(code), cwd=tmp_path, **_NO_LIMITS).stdout)

    job_thread = threading.Thread(target=job)
    starter = threading.Thread(target=job_thread.start)
    starter.start()
    starter.join()
    job_thread.join()

    assert results == [b"in\nout\n"]


def test_many_threads_run_children_at_once(tmp_path: Path) -> None:
    results: dict[int, bytes] = {}

    def job(number: int) -> None:
        results[number] = run_child(["echo", str(number)], cwd=tmp_path, **_NO_LIMITS).stdout

    threads = [threading.Thread(target=job, args=(number,)) for number in range(24)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert results == {number: f"{number}\n".encode() for number in range(24)}


def test_no_descriptors_and_no_zombies_are_left(tmp_path: Path) -> None:
    def descriptors() -> int:
        return sum(1 for _ in Path("/proc/self/fd").iterdir())

    before = descriptors()
    say = _python("import os; print(os.getpid())")
    pids = [int(run_child(say, cwd=tmp_path, **_NO_LIMITS).stdout) for _ in range(3)]

    assert descriptors() == before
    assert not any(Path(f"/proc/{pid}").exists() for pid in pids)
