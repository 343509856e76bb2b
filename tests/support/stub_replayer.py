"""A stand-in for the replayer: tells progress as it does, moves one message each time a file says so.

`python stub_replayer.py --steps FILE [--fail TEXT] [--deaf] …the replayer's own options`. It counts a message as moved
for each line of FILE, and ends when FILE says `end`; --fail makes it end with 3 then; --deaf makes it ignore SIGTERM.
"""

import argparse
import json
import signal
import sys
import time
from pathlib import Path

TOTAL = 10


def say(state: str, moved: int, message: str = "", **more: object) -> None:
    line = {"state": state, "seen": moved, "moved": moved, "left": TOTAL - moved, "total": TOTAL, "message": message}
    print(json.dumps(line | more), flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(allow_abbrev=False)
    parser.add_argument("--steps", type=Path, required=True)
    parser.add_argument("--fail", default="")
    parser.add_argument("--deaf", action="store_true")
    parser.add_argument("--channel", required=True)
    parser.add_argument("--progress", choices=["json"], required=True)
    options, others = parser.parse_known_args()
    asked: list[int] = []
    signal.signal(signal.SIGTERM, lambda *_: None if options.deaf else asked.append(1))
    print("not a line of progress", flush=True)
    say("waiting", 0, "waiting for the broker")
    moved, lines = -1, []
    while not asked and "end" not in lines:
        lines = options.steps.read_text().splitlines() if options.steps.exists() else []
        if (now := sum(line != "end" for line in lines)) != moved:
            moved = now
            say("running", moved)
        time.sleep(0.02)
    summary = {"channel": options.channel, "moved": moved, "stopped": bool(asked), "options": others}
    state = "failed" if options.fail else "stopped" if asked else "done"
    say(state, moved, options.fail, summary=summary)
    if options.fail:
        print(f"replayer: {options.fail}", file=sys.stderr)
    return 3 if options.fail else 0


if __name__ == "__main__":
    sys.exit(main())
