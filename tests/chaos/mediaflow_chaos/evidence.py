"""Everything a run left behind, gathered from where it lies: the books, the store and the queues."""

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mediaflow_chaos.uploads import Upload


@dataclass(frozen=True, slots=True)
class Message:
    """A message found in a queue. ``reason`` is why it is a dead letter: "rejected", "delivery_limit", … or none."""

    asset_id: str
    event_id: str
    reason: str = ""
    from_queue: str = ""


@dataclass(frozen=True, slots=True)
class Commits:
    """What was seen of one asset's commits in one channel.

    ``made``: the store said that it made the result. ``unfinished``: asked for, and the worker died before the answer.
    """

    made: int = 0
    unfinished: int = 0
    events: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class ChannelEvidence:
    """One channel's part. Results by asset give the event they are for."""

    results: Mapping[str, str] = field(default_factory=dict)
    commits: Mapping[str, Commits] = field(default_factory=dict)
    deliveries: Mapping[str, int] = field(default_factory=dict)
    dead_letters: Sequence[Message] = ()
    #: Still in the work queue after all the time it had, or in the outbox.
    waiting: Sequence[Message] = ()
    #: Messages that the queue counts and does not show: somebody holds them, or their dead-letter queue takes none.
    hidden: int = 0
    #: Assets whose message was in the queue when an operator deleted it, and how many more can have been.
    removed: frozenset[str] = frozenset()
    removed_unseen: int = 0


@dataclass(frozen=True, slots=True)
class Evidence:
    """The whole run."""

    uploads: Mapping[str, Upload]
    channels: Mapping[str, ChannelEvidence]


def results_in(store: Path, channel: str) -> dict[str, str]:
    """Read every result of the channel: the event by asset. A result that can't be read gives an empty event."""
    found = {}
    for path in (store / "assets").glob(f"*/{channel}/result.json"):
        try:
            found[path.parts[-3]] = str(json.loads(path.read_bytes()).get("eventId", ""))
        except ValueError:
            found[path.parts[-3]] = ""
    return found


def bursts_in(store: Path) -> dict[str, str]:
    """Read the id of every burst on record, by its owner."""
    records = (json.loads(path.read_bytes()) for path in (store / "bursts").glob("*.json"))
    return {record["ownerId"]: record["burstId"] for record in records}


def outbox_in(store: Path) -> list[Message]:
    """Read the events that still wait in the store to be published, for all channels."""
    found = []
    for path in (*(store / "outbox").glob("*.json"), *(store / "intents").glob("*.json")):
        try:
            event = json.loads(path.read_bytes())["event"]
            found.append(Message(str(event["assetId"]), str(event["eventId"])))
        except FileNotFoundError:
            continue  # published just now
        except (ValueError, KeyError, TypeError):
            found.append(Message(f"? ({path.name})", path.stem))
    return found


def observed_in(lines: Iterable[dict[str, Any]], channel: str) -> tuple[dict[str, Commits], Counter[str]]:
    """Read the workers' lines: commits and deliveries by asset."""
    made: Counter[str] = Counter()
    pending: Counter[tuple[str, int]] = Counter()  # by asset and process: one process tries one at a time
    events: defaultdict[str, set[str]] = defaultdict(set)
    deliveries: Counter[str] = Counter()
    for line in lines:
        if line["channel"] != channel:
            continue
        asset = line["asset"]
        if line["what"] == "delivered":
            deliveries[asset] += 1
        elif line["what"] == "committing":
            pending[asset, line["pid"]] += 1
        elif line["what"] in ("committed", "was committed"):
            pending[asset, line["pid"]] -= 1
            if line["what"] == "committed":
                made[asset] += 1
                events[asset].add(line["event"])
    unfinished: Counter[str] = Counter()
    for (asset, _), count in pending.items():
        unfinished[asset] += count
    commits = {
        asset: Commits(made[asset], unfinished[asset], frozenset(events[asset])) for asset in made | (+unfinished)
    }
    return commits, deliveries
