"""How a test ends a process that it started."""

import signal
import subprocess


def end_process(process: subprocess.Popen[str] | subprocess.Popen[bytes]) -> int:
    """Ask it to stop, and give its exit code. Kills it and raises TimeoutExpired when it does not within 20 s."""
    if process.poll() is None:
        process.send_signal(signal.SIGTERM)
    try:
        return process.wait(20)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
        raise
