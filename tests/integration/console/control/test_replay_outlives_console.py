"""Real dead letters on a real broker, put back by a real fleet while its console dies and while it goes down."""

import contextlib
import signal

import pika
import pytest
from pydantic import SecretStr

from console.control.fleet_control import ReplayRequest
from console.control.local_fleet_control import LocalFleetControl
from dead_letters import bury, events
from local_fleet.run_folder import RunFolder
from local_fleet.survivors import find_survivors
from mq_common.channels import load_channels
from mq_common.settings import BrokerSettings
from mq_workers import depth
from whole_fleet import WholeFleet

COUNT = 60
SPEC = load_channels(profile="simulated")["subtitle"]


@pytest.fixture
def fleet(tmp_path, amqp_url, broker, fleet_guard):
    """Ingest, console and one worker, which is paused at once: what is put back stays in the queue to be counted."""
    variables = {
        "AMQP_URL": amqp_url,
        "MEDIAFLOW_MANAGEMENT_URL": broker.management_url,
        "MEDIAFLOW_FLEET_CONSOLE": "on",
        "MEDIAFLOW_FLEET_WORKERS": "thumbnail=0, transcode=0, subtitle=1",
        "MEDIAFLOW_PROFILE": "simulated",
        "MEDIAFLOW_STORE_FSYNC": "false",
        "MEDIAFLOW_INGEST_WORKERS": "1",
    }
    fleet = WholeFleet(RunFolder.at(tmp_path / ".run"), variables)
    fleet.mediaflow("up")
    fleet.mediaflow("pause")
    yield fleet
    fleet.end()


@pytest.fixture
def queues(amqp_url):
    with contextlib.closing(pika.BlockingConnection(pika.URLParameters(amqp_url))) as connection:
        yield connection.channel()


def held(queues):
    """Messages in the queue, and in its dead-letter queue."""
    return depth(queues, SPEC.queue), depth(queues, SPEC.dead_letter_queue)


def test_a_replay_goes_on_without_its_console_and_ends_with_the_fleet_losing_nothing(fleet, amqp_url, queues):
    control = LocalFleetControl(fleet.folder.socket)
    bury(BrokerSettings(amqp_url=SecretStr(amqp_url)), SPEC, events(COUNT))
    fleet.until(lambda: held(queues) == (0, COUNT))

    run = control.start_replay(ReplayRequest("subtitle", rate=10.0, asked_by="Ada"))
    fleet.until(lambda: control.replay(run.id).moved)
    console = next(each.identity for each in find_survivors(fleet.folder) if each.name == "console")
    console.send(signal.SIGKILL)
    before = control.replay(run.id).moved
    fleet.until(lambda: control.replay(run.id).moved > before)
    assert control.replay(run.id).state == "running"
    assert (control.replay(run.id).total, control.replay(run.id).request.asked_by) == (COUNT, "Ada")

    control.stop_replay(run.id)
    fleet.until(lambda: control.replay(run.id).ended)
    stopped = control.replay(run.id)
    assert stopped.state == "stopped"
    assert 0 < stopped.moved < COUNT
    assert stopped.summary["moved"] == stopped.moved
    fleet.until(lambda: held(queues) == (stopped.moved, COUNT - stopped.moved))
    assert stopped.left == COUNT - stopped.moved

    slow = control.start_replay(ReplayRequest("subtitle", rate=10.0))
    fleet.until(lambda: control.replay(slow.id).moved)
    assert ["replayer-subtitle", "stopped"] in [line.split() for line in fleet.mediaflow("down").splitlines()]
    fleet.until(lambda: sum(held(queues)) == COUNT)
    assert held(queues)[0] > stopped.moved
