"""The replayer as its users run it: a process with options, exit codes, and output for people and programs."""

import json
import os
import signal
import subprocess
import sys
from base64 import b64encode
from typing import Any
from urllib.parse import unquote, urlsplit
from urllib.request import Request, urlopen

import pytest
from pika.adapters.blocking_connection import BlockingChannel

from dead_letters import assets, bury, events, kill
from media_common.layout import failure_key
from media_common.media_store import MediaStore
from media_common.states import read_channel_state
from mq_common.channels import ChannelSpec
from mq_common.dead_letter_survey import survey
from mq_common.events import MediaEvent
from mq_common.settings import BrokerSettings
from mq_workers import depth, eventually
from refusing_port import refusing_port

Environment = dict[str, str]


def start(environment: Environment, *arguments: str) -> subprocess.Popen[str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("MEDIAFLOW_", "AMQP_"))}
    return subprocess.Popen(
        [sys.executable, "-m", "replayer", *arguments],
        env=kept | environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def replayer(environment: Environment, *arguments: str, code: int = 0) -> str:
    """Run to the end; gives what it wrote to both of its outputs."""
    process = start(environment, *arguments)
    out, err = process.communicate(timeout=60)
    assert process.returncode == code, f"{out}{err}"
    return out + err


def write_down(store: MediaStore, event: MediaEvent, error: str) -> None:
    """Leave word as a worker does that gives up."""
    record = {
        "eventId": event.event_id,
        "reason": "rejected",
        "errorClass": error,
        "message": f"{error} of {event.asset_id}",
        "attempts": 3,
        "worker": "w1",
        "failedAt": "2026-03-01T08:00:04.000Z",
    }
    store.put_json(failure_key(event.asset_id, "subtitle"), record)


@pytest.fixture
def dead(settings: BrokerSettings, spec: ChannelSpec, channel: BlockingChannel, store: MediaStore) -> list[MediaEvent]:
    """Six dead letters: two of bad media, four of a failing tool."""
    dying = events(6)
    for number, event in enumerate(dying):
        write_down(store, event, "BadMedia" if number % 3 == 0 else "ToolFailed")
    kill(settings, spec, channel, dying)
    return dying


def test_the_list_shows_why_messages_died_and_leaves_them_as_they_were(
    dead: list[MediaEvent], environment: Environment, settings: BrokerSettings, spec: ChannelSpec
) -> None:
    table = replayer(environment, "list").splitlines()
    found: list[dict[str, Any]] = json.loads(replayer(environment, "list", "--channel", "subtitle", "--json"))

    assert table[0].split() == ["channel", "reason", "error", "messages", "oldest", "replays", "for", "example"]
    assert table[1].split()[:4] == ["subtitle", "rejected", "ToolFailed", "4"]
    assert table[2].split()[:4] == ["subtitle", "rejected", "BadMedia", "2"]
    assert "a-1: ToolFailed of a-1" in table[1]
    assert [(each["errorClass"], each["count"]) for each in found] == [("ToolFailed", 4), ("BadMedia", 2)]
    assert [letter.asset_id for letter in survey(settings, spec)] == [event.asset_id for event in dead]


def test_a_replay_moves_what_is_asked_for_and_its_assets_count_as_queued_again(
    dead: list[MediaEvent], environment: Environment, channel: BlockingChannel, spec: ChannelSpec, store: MediaStore
) -> None:
    states = [read_channel_state(store, event.asset_id, "subtitle").state for event in dead]
    assert states == ["dead-lettered"] * 6

    said = replayer(environment, "--channel", "subtitle", "--error", "BadMedia", "--reason", "rejected")

    assert said.startswith("subtitle: 2 of 6 moved to media.subtitle in ")
    assert "4 left: not selected" in said
    states = [read_channel_state(store, event.asset_id, "subtitle").state for event in dead]
    assert states == ["queued", "dead-lettered", "dead-lettered"] * 2
    eventually(lambda: depth(channel, spec.queue) == 2)
    assert assets(channel, spec.queue) == ["a-0", "a-3"]
    for other in ("thumbnail", "transcode"):
        assert depth(channel, f"media.{other}") == depth(channel, f"media.{other}.dlq") == 0


def test_a_dry_run_and_a_json_summary_say_the_same(
    dead: list[MediaEvent], environment: Environment, channel: BlockingChannel, spec: ChannelSpec
) -> None:
    said = replayer(environment, "--channel", "subtitle", "--limit", "4", "--dry-run")
    summary = json.loads(replayer(environment, "--channel", "subtitle", "--limit", "4", "--json"))

    assert "4 of 6 would move to media.subtitle; nothing was moved" in said
    assert (summary["depth"], summary["selected"], summary["moved"], summary["dryRun"]) == (6, 4, 4, False)
    eventually(lambda: depth(channel, spec.dead_letter_queue) == 2)


def test_single_messages_are_replayed_by_their_ids(
    dead: list[MediaEvent], environment: Environment, channel: BlockingChannel, spec: ChannelSpec
) -> None:
    chosen = [option for event in (dead[4], dead[1]) for option in ("--event", event.event_id)]

    said = replayer(environment, "--channel", "subtitle", *chosen)

    assert said.startswith("subtitle: 2 of 6 moved")
    eventually(lambda: depth(channel, spec.queue) == 2)
    assert assets(channel, spec.queue) == ["a-1", "a-4"]


def test_a_program_reads_how_far_a_replay_is_and_the_summary_comes_last(
    environment: Environment, settings: BrokerSettings, spec: ChannelSpec, channel: BlockingChannel
) -> None:
    buried(settings, spec, channel, 60)

    said = replayer(environment, "--channel", "subtitle", "--rate", "50/s", "--progress", "json")

    lines = [json.loads(line) for line in said.splitlines()]
    assert lines[0]["state"] == "waiting"
    assert {line["state"] for line in lines[1:-1]} == {"running"}
    assert 2 <= len(lines) - 2 <= 8
    assert [line["moved"] for line in lines] == sorted(line["moved"] for line in lines)
    last = lines[-1]
    assert (last["state"], last["moved"], last["left"], last["total"], last["message"]) == ("done", 60, 0, 60, "")
    assert (last["summary"]["moved"], last["summary"]["dryRun"]) == (60, False)


def test_a_reader_that_goes_away_does_not_stop_a_replay(
    environment: Environment, settings: BrokerSettings, spec: ChannelSpec, channel: BlockingChannel
) -> None:
    buried(settings, spec, channel, 60)
    process = start(environment, "--channel", "subtitle", "--rate", "50/s", "--progress", "json")
    assert process.stdout is not None
    assert process.stderr is not None

    process.stdout.close()

    assert process.wait(timeout=30) == 0, process.stderr.read()
    process.stderr.close()
    eventually(lambda: depth(channel, spec.queue) == 60)


def test_a_signal_that_comes_when_all_is_done_spoils_nothing(dead: list[MediaEvent], environment: Environment) -> None:
    process = start(environment, "--channel", "subtitle", "--progress", "json")
    assert process.stdout is not None
    said = iter(process.stdout.readline, "")

    last = next(line for line in said if json.loads(line)["state"] == "done")
    while process.poll() is None:
        process.send_signal(signal.SIGTERM)

    assert json.loads(last)["moved"] == 6
    assert process.wait(timeout=20) == 0
    process.communicate()


def test_a_replay_that_failed_says_so_in_its_last_line(
    dead: list[MediaEvent], environment: Environment, channel: BlockingChannel, spec: ChannelSpec
) -> None:
    channel.queue_delete(spec.queue)

    last = json.loads(replayer(environment, "--channel", "subtitle", "--progress", "json", code=1).splitlines()[-1])

    assert (last["state"], last["moved"], last["left"]) == ("failed", 0, 6)
    assert "there is no queue media.subtitle" in last["message"]


def test_nothing_to_do_is_a_success(environment: Environment, spec: ChannelSpec) -> None:
    assert replayer(environment, "--channel", "subtitle") == "media.subtitle.dlq is empty\n"
    assert replayer(environment, "list") == "no dead letters\n"


def test_a_missing_queue_ends_with_exit_code_1_and_the_messages_stay(
    dead: list[MediaEvent], environment: Environment, channel: BlockingChannel, spec: ChannelSpec
) -> None:
    channel.queue_delete(spec.queue)

    said = replayer(environment, "--channel", "subtitle", code=1)

    assert "there is no queue media.subtitle" in said
    assert "6 left: refused by the queue" in said
    eventually(lambda: depth(channel, spec.dead_letter_queue) == 6)


@pytest.mark.parametrize(
    ("arguments", "changed", "code", "reason"),
    [
        (["--channel", "subtitel"], {}, 2, "no channel 'subtitel' in the channels file"),
        ([], {}, 2, "say whose dead letters: --channel NAME"),
        (["--channel", "subtitle", "--older-than", "soon"], {}, 2, "'soon' is no duration"),
        (["--channel", "subtitle", "--rate", "0/s"], {}, 2, "'0/s' is no rate"),
        (["--channel", "subtitle", "--reason", "expired"], {}, 2, "expired"),
        (["list"], {"MEDIAFLOW_REPLAYER_SPEED": "1"}, 2, "MEDIAFLOW_REPLAYER_SPEED: no such setting"),
        (["list"], {"MEDIAFLOW_STORE_URL": "ftp://x"}, 2, "MEDIAFLOW_STORE_URL"),
        (["list"], {"AMQP_URL": "amqp://127.0.0.1:1/", "MEDIAFLOW_START_LIMIT_S": "0.2"}, 3, "127.0.0.1:1"),
    ],
)
def test_what_is_wrong_is_named_and_has_its_exit_code(
    environment: Environment, arguments: list[str], changed: Environment, code: int, reason: str
) -> None:
    said = replayer(environment | changed, *arguments, code=code)

    assert reason in said
    assert "Traceback" not in said


def running(environment: Environment, channel: BlockingChannel, spec: ChannelSpec) -> subprocess.Popen[str]:
    """A slow replay that has moved some of its messages."""
    process = start(environment, "--channel", "subtitle", "--rate", "40/s", "--json")
    eventually(lambda: process.poll() is not None or depth(channel, spec.queue) >= 10)
    assert process.poll() is None, process.communicate()
    return process


def buried(settings: BrokerSettings, spec: ChannelSpec, channel: BlockingChannel, count: int) -> list[str]:
    bury(settings, spec, events(count))
    eventually(lambda: depth(channel, spec.dead_letter_queue) == count)
    return [f"a-{number}" for number in range(count)]


def test_sigterm_in_the_middle_ends_with_a_summary_and_loses_nothing(
    environment: Environment, settings: BrokerSettings, spec: ChannelSpec, channel: BlockingChannel
) -> None:
    there = buried(settings, spec, channel, 500)
    process = running(environment, channel, spec)

    process.send_signal(signal.SIGTERM)
    out, err = process.communicate(timeout=20)

    assert process.returncode == 0, err
    summary = json.loads(out)
    assert summary["stopped"] is True
    assert 10 <= summary["moved"] < 500
    eventually(lambda: depth(channel, spec.queue) == summary["moved"])
    left = [letter.asset_id for letter in survey(settings, spec)]
    assert assets(channel, spec.queue) + left == there


def test_sigkill_in_the_middle_loses_nothing(
    environment: Environment, settings: BrokerSettings, spec: ChannelSpec, channel: BlockingChannel
) -> None:
    there = buried(settings, spec, channel, 500)
    process = running(environment, channel, spec)

    process.kill()
    process.communicate(timeout=20)

    left = {str(letter.asset_id) for letter in survey(settings, spec, wait_s=20)}
    moved = assets(channel, spec.queue)
    assert set(moved) | left == set(there)
    assert len(moved) == len(set(moved))


def delete_vhost(management_url: str, vhost: str) -> None:
    parts = urlsplit(management_url)
    login = b64encode(f"{unquote(parts.username or '')}:{unquote(parts.password or '')}".encode()).decode()
    address = f"{parts.scheme}://{parts.hostname}:{parts.port}/api/vhosts/{vhost}"
    with urlopen(Request(address, method="DELETE", headers={"Authorization": f"Basic {login}"}), timeout=30):
        pass


def test_a_lost_broker_ends_with_exit_code_3_and_says_how_far_it_came(
    environment: Environment,
    settings: BrokerSettings,
    spec: ChannelSpec,
    channel: BlockingChannel,
    vhost: str,
    management_url: str,
) -> None:
    buried(settings, spec, channel, 200)
    process = running(environment, channel, spec)

    delete_vhost(management_url, vhost)  # which closes every connection in it
    out, err = process.communicate(timeout=40)

    assert process.returncode == 3
    assert json.loads(out)["moved"] >= 5
    assert "was lost" in err
    assert "Traceback" not in err


def test_a_queue_behind_a_broker_that_does_not_answer_is_not_called_empty(environment: Environment) -> None:
    away = environment | {"AMQP_URL": "amqp://127.0.0.1:1", "MEDIAFLOW_START_LIMIT_S": "0.5"}
    said = replayer(away, "--channel", "subtitle", code=3)
    assert "not reachable" in said
    assert "empty" not in said


@pytest.mark.parametrize("command", [("--channel", "subtitle"), ("list",)])
def test_a_stop_while_it_still_looks_for_the_broker_says_nothing_of_the_broker_or_the_queue(
    environment: Environment, command: tuple[str, ...]
) -> None:
    with refusing_port() as port:
        looking = {
            "AMQP_URL": f"amqp://127.0.0.1:{port}",
            "MEDIAFLOW_LOG_LEVEL": "info",
            "MEDIAFLOW_START_LIMIT_S": "60",
        }
        process = start(environment | looking, *command)
        assert process.stderr is not None
        assert any("broker_connect_retried" in line for line in process.stderr)
        process.send_signal(signal.SIGTERM)
        out, err = process.communicate(timeout=30)

    assert process.returncode == 0, f"{out}{err}"
    assert "not reachable" not in err
    assert "empty" not in out and "no dead letters" not in out
