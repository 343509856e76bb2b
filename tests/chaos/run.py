"""The ledger: load, a nemesis, and a checker; the command behind `make chaos`.

make chaos MINUTES=30 SEED=7               every fault, one at a time and then mixed, for half an hour
make chaos ARGS="--only kill-broker"       some faults (their names' beginnings)
make chaos ARGS="--plan"                   print what the seed would do, and end
make chaos ARGS="--cluster"                three nodes instead of one, of which one at a time is hurt; each in a network
                                           namespace of its own, where this machine allows it (root, iproute2)
make chaos ARGS="--cluster --only cut-node part deafen mute"    partitions only, the fleet at the nodes' own addresses
make chaos ARGS="--server DIR/rabbitmq-server"   another RabbitMQ than the installed one; rabbitmqctl is beside it
make chaos ARGS="--external"               against AMQP_URL (and MEDIAFLOW_MANAGEMENT_URL), which is not hurt itself

Exit codes: 0 the promise was kept; 1 it was broken; 2 wrong use; 3 it could not be checked.
"""

import argparse
import os
import random
import shutil
import signal
import sys
import tempfile
from datetime import datetime
from pathlib import Path

from mediaflow_chaos.campaign import Campaign, run_campaign
from mediaflow_chaos.clip import tiny_clip
from mediaflow_chaos.cluster import SIZE, Cluster
from mediaflow_chaos.cluster_faults import faults_of
from mediaflow_chaos.faults import CLIENT_FAULTS, NODE_FAULTS
from mediaflow_chaos.load import LoadPlan
from mediaflow_chaos.network import Network, NetworkImpossible
from mediaflow_chaos.node import SingleNode
from mediaflow_chaos.replay_faults import REPLAY_FAULTS
from mediaflow_chaos.report import Report, print_report, write_report
from mediaflow_chaos.shared import SharedBroker
from mediaflow_chaos.strikes import plan
from mediaflow_chaos.world import world_around

AnyBroker = SharedBroker | SingleNode | Cluster

#: RabbitMQ 4.3 may hold a message for a consumer that is gone after a partition, until its consumer time-out: seven
#: minutes for these channels, looked at once a minute.
_CLUSTER_DRAIN_S = 600.0

ROOT = Path(__file__).resolve().parents[2]


def main(arguments: list[str]) -> int:
    """Run one campaign; gives the exit code."""
    options = _options(arguments)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    network = _network(options) if options.cluster else None
    try:
        return _campaign(options, network)
    finally:
        if network is not None:
            network.close()


def _campaign(options: argparse.Namespace, network: Network | None) -> int:
    beside = () if options.external else faults_of(network) if options.cluster else NODE_FAULTS
    faults = (*CLIENT_FAULTS, *REPLAY_FAULTS, *beside)
    chosen = [fault for fault in faults if not options.only or fault.kind.name.startswith(tuple(options.only))]
    if not chosen:
        sys.stderr.write(f"no such fault; there are: {', '.join(fault.kind.name for fault in faults)}\n")
        return 2
    seconds = options.minutes * 60
    outbox = "on" if options.seed % 2 else "off"
    strikes = plan(options.seed, seconds, [fault.kind for fault in chosen])
    print(f"seed {options.seed}: {len(strikes)} strikes in {seconds:.0f} s, outbox {outbox}")
    print("\n".join(map(str, strikes)), flush=True)
    if options.plan:
        return 0
    folder = Path(tempfile.mkdtemp(prefix="mediaflow-chaos-", dir=options.folder))
    try:
        campaign = Campaign(
            LoadPlan(options.seed, rate=options.rate),
            seconds,
            strikes,
            chosen,
            tiny_clip(folder / "clip.mp4"),
            drain_limit_s=_CLUSTER_DRAIN_S if options.cluster else Campaign.drain_limit_s,
        )
        # A wire answers for the node behind it; without one, who is cut off finds out by itself.
        wired = network is None or any("wire" in fault.kind.subject for fault in chosen)
        report = _run(campaign, _broker(options, folder, network), folder, outbox, wired)
        return _said(report, options.json, folder if options.keep else None)
    finally:
        if not options.keep:
            shutil.rmtree(folder, ignore_errors=True)


def _network(options: argparse.Namespace) -> Network | None:
    """Make a network for the nodes; where that can't be done, say so and do without."""
    if options.loopback:
        return None
    try:
        return Network(SIZE)
    except NetworkImpossible as error:
        print(f"no network namespaces ({error}): the nodes are on loopback, and are parted by refusing each other")
        return None


def _broker(options: argparse.Namespace, folder: Path, network: Network | None) -> AnyBroker:
    if options.external:
        return _external()
    if options.cluster:
        cluster = Cluster(folder / "cluster", network=network, program=options.server)
        try:
            cluster.start()
        except BaseException:
            cluster.end()
            raise
        return cluster
    return SingleNode(folder / "broker", program=options.server)


def _run(campaign: Campaign, broker: AnyBroker, folder: Path, outbox: str, wired: bool) -> Report:
    try:
        with world_around(broker, folder, wired=wired, variables={"MEDIAFLOW_OUTBOX": outbox}) as world:
            return run_campaign(campaign, world, folder)
    finally:
        if not isinstance(broker, SharedBroker):
            broker.end()


def _external() -> SharedBroker:
    """Take the broker that the environment names. Use a virtual host of your own: its queues are filled."""
    try:
        return SharedBroker(os.environ["AMQP_URL"], os.environ["MEDIAFLOW_MANAGEMENT_URL"])
    except KeyError as missing:
        sys.exit(f"--external needs {missing.args[0]}")


def _said(report: Report, path: Path, kept: Path | None) -> int:
    print_report(report)
    write_report(report, path)
    print(f"written to {path}" + (f"; logs kept in {kept}" if kept else ""))
    return report.exit_code


def _options(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="run.py", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--minutes", type=float, default=3.0)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1_000_000))
    parser.add_argument("--rate", type=float, default=30.0, help="uploads a second")
    parser.add_argument("--only", nargs="*", default=[], help="beginnings of faults' names")
    parser.add_argument("--plan", action="store_true", help="print the plan and end")
    parser.add_argument("--external", action="store_true", help="use AMQP_URL, which is not hurt itself")
    parser.add_argument("--cluster", action="store_true", help="three nodes, of which one at a time is hurt")
    parser.add_argument("--loopback", action="store_true", help="cluster: on loopback, without network namespaces")
    parser.add_argument("--server", type=Path, default=None, help="rabbitmq-server script to use")
    parser.add_argument("--folder", type=Path, default=None, help="where the run's files go")
    parser.add_argument("--keep", action="store_true", help="keep the run's files")
    usual = ROOT / ".run" / "chaos" / f"{datetime.now():%Y%m%d-%H%M%S}.json"
    parser.add_argument("--json", type=Path, default=usual, help="where the JSON goes")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
