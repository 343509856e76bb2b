"""Plays the seven scenarios against a local fleet of their own; the commands behind `make scenarios`.

make scenarios                       all, as in the article (about eight minutes)
make scenario N=3                    one of them
make scenarios ARGS=--quick          smaller counts
make scenarios ARGS="--json FILE"    the verdicts as JSON too
"""

import argparse
import fcntl
import json
import shutil
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from mediaflow_scenarios.catalogue import SCENARIOS
from mediaflow_scenarios.fleet import CommandFailed, ScenarioFleet
from mediaflow_scenarios.page import Page
from mediaflow_scenarios.play import play
from mediaflow_scenarios.sizes import FULL, QUICK
from mediaflow_scenarios.verdict import Verdict
from mediaflow_scenarios.vhost import own_vhost

from local_fleet.broker import BrokerAddress
from local_fleet.run_folder import RunFolder

_USUAL_FOLDER = Path(__file__).parents[2] / ".run" / "scenarios"


def main(arguments: list[str]) -> int:
    """Play what was asked for. 0: all passed; 1: one did not, or something kept it from its end."""
    options = _options(arguments)
    page = Page()
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: sys.exit(143))  # ends everything that was started, as Ctrl-C does
    verdicts: list[Verdict] = []
    try:
        with _alone(options.folder), _broker(options) as broker, _fleet(options, broker, page) as fleet:
            for number in options.numbers:
                verdicts.append(play(number, fleet, options.sizes, page))
    except KeyboardInterrupt:
        page.say("\ninterrupted")
    except CommandFailed as error:
        page.say(str(error))
    return _report(options, verdicts, page)


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Keep a second run from the same folder."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    with folder.with_suffix(".lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            sys.exit("the scenarios are being played already")
        yield


@contextmanager
def _broker(options: argparse.Namespace) -> Iterator[BrokerAddress | None]:
    """Give a virtual host of our own on the broker that was named; None for a private node."""
    if not options.broker:
        yield None
        return
    with own_vhost(BrokerAddress(options.broker, options.management)) as broker:
        yield broker


@contextmanager
def _fleet(options: argparse.Namespace, broker: BrokerAddress | None, page: Page) -> Iterator[ScenarioFleet]:
    """Start the fleet, and end it whatever happens."""
    fleet = ScenarioFleet(RunFolder.at(options.folder), broker, options.sizes.cooldown_s)
    try:
        page.say(f"starting a fleet for the scenarios in {fleet.folder.path} …")
        fleet.up()
        page.say(f"it is up: {fleet.door.url}, {fleet.status()['broker']['kind']}")
        yield fleet
    finally:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # a second Ctrl-C must not keep it from ending
        page.say("\nending the fleet …")
        fleet.down()
        for folder in (fleet.folder.media, fleet.folder.broker, fleet.folder.scratch):
            shutil.rmtree(folder, ignore_errors=True)


def _report(options: argparse.Namespace, verdicts: list[Verdict], page: Page) -> int:
    passed = sum(verdict.passed for verdict in verdicts)
    missing = len(options.numbers) - len(verdicts)
    page.say()
    for each in verdicts:
        page.say(f"{'PASS' if each.passed else 'FAIL'}  {each.number:<2}  {each.title}  [{each.seconds:.0f} s]")
    not_played = f", {missing} not played" if missing else ""
    page.say(f"{passed} of {len(options.numbers)} passed{not_played}; logs: {options.folder}/logs")
    if options.json:
        options.json.parent.mkdir(parents=True, exist_ok=True)
        options.json.write_text(json.dumps([verdict.as_json() for verdict in verdicts], indent=2) + "\n")
        page.say(f"written to {options.json}")
    return 0 if passed == len(options.numbers) else 1


def _options(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="run.py", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("numbers", nargs="*", help=f"which: {' '.join(SCENARIOS)}; without any, all")
    parser.add_argument("--quick", dest="sizes", action="store_const", const=QUICK, default=FULL, help="smaller counts")
    parser.add_argument("--json", type=Path, help="also write the verdicts to this file")
    parser.add_argument("--list", action="store_true", help="print the scenarios and end")
    parser.add_argument("--broker", help="an AMQP address to use instead of a private node; it gets a virtual host")
    parser.add_argument("--management", help="that broker's management API")
    parser.add_argument("--folder", type=Path, default=_USUAL_FOLDER, help="where the fleet keeps its things")
    options = parser.parse_args(arguments)
    if options.list:
        print("\n".join(f"{number:<2}  {scenario.title}" for number, scenario in SCENARIOS.items()))
        sys.exit(0)
    unknown = [number for number in options.numbers if number not in SCENARIOS]
    if unknown:
        parser.error(f"no scenario {', '.join(unknown)}; there are: {' '.join(SCENARIOS)}")
    if bool(options.broker) != bool(options.management):
        parser.error("--broker and --management go together")
    options.numbers = options.numbers or list(SCENARIOS)
    return options


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
