"""Why a process ended, in one line."""

import re
import signal
import subprocess
from pathlib import Path

#: Exit codes after which a new start would end the same way: bad configuration, topology mismatch.
HOPELESS = frozenset({2, 4})

_TAIL_BYTES = 8192
_COLOURS = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")


def is_hopeless(code: int, last_line: str, *, port_is_drawn: bool) -> bool:
    """Tell whether another start would end the same way.

    Somebody may take a free port between its being drawn and its being listened on: the next start draws another one.

    >>> is_hopeless(2, "mediaflow: MEDIAFLOW_HEALTH_PORT: can't listen on 127.0.0.1:4711: in use", port_is_drawn=True)
    False
    """
    return code in HOPELESS and not (port_is_drawn and "MEDIAFLOW_HEALTH_PORT: can't listen" in last_line)


def describe_exit(code: int, last_line: str) -> str:
    """Say how a process ended: `code` as subprocess gives it (negative for a signal), and what it said last.

    >>> describe_exit(-9, "")
    'killed by SIGKILL'
    >>> describe_exit(2, "mediaflow: AMQP_URL: must start with amqp://")
    'exit code 2: mediaflow: AMQP_URL: must start with amqp://'
    """
    how = f"killed by {_signal_name(-code)}" if code < 0 else f"exit code {code}"
    return f"{how}: {last_line}" if last_line else how


def exit_code(process: subprocess.Popen[bytes] | None) -> int | None:
    """Give the code of a process that has just gone; None where it is not ours to know.

    A process can be seen to be gone a moment before its parent can read the code.
    """
    try:
        return process.wait(1.0) if process else None
    except subprocess.TimeoutExpired:
        return None


def last_line(log: Path, start: int) -> str:
    """Read the last line with text in `log` from byte `start` on; empty when there is none."""
    try:
        with log.open("rb") as file:
            size = file.seek(0, 2)
            file.seek(max(start, size - _TAIL_BYTES))
            text = file.read().decode("utf-8", "replace")
    except OSError:
        return ""
    lines = (_COLOURS.sub("", line).strip() for line in reversed(text.splitlines()))
    return next((line for line in lines if line), "")


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
