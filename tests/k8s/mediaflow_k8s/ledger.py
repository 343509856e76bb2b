"""The books of a load on the cluster, put before the checker of the chaos runs. Pure."""

import json
from collections import Counter
from collections.abc import Mapping
from typing import Any

from mediaflow_chaos.bursts import bursts_of, uploads_of_bursts
from mediaflow_chaos.checker import CouldNotCheck, Fails, check
from mediaflow_chaos.evidence import ChannelEvidence, Evidence, Message, observed_in
from mediaflow_chaos.report import Report
from mediaflow_chaos.uploads import Upload, uploads_of

#: Answers to an upload that took nothing away from its client.
_ACCEPTED = "202"


def report_of(
    seed: int, stopped: Mapping[str, Any], gathered: Mapping[str, Any], fails: Fails, done: list[str], seconds: float
) -> Report:
    """Compare; gives the report, also when it could not be checked.

    ``stopped``: what the load generator gave back (answers and book); ``gathered``: `in_pod.evidence`.
    """
    answers = dict(stopped["answers"])
    report = Report(seed, round(seconds, 1), {}, answers, done)
    try:
        uploads = uploads_in(stopped["book"], gathered["bursts"])
        report.uploads = dict(Counter(upload.verdict.value for upload in uploads.values()))
        report.accounts = check(evidence_in(seed, uploads, gathered), fails)
    except (CouldNotCheck, ValueError, KeyError) as error:
        report.could_not_check = str(error) or repr(error)
    return report


def uploads_in(book: str, bursts: Mapping[str, str]) -> dict[str, Upload]:
    """Read the load generator's book. Raises ValueError for a line that can't be read."""
    lines = [json.loads(line) for line in book.splitlines()]
    return uploads_of(lines) | uploads_of_bursts(bursts_of(lines, bursts))


def evidence_in(seed: int, uploads: Mapping[str, Upload], gathered: Mapping[str, Any]) -> Evidence:
    """Put together what this load left behind; earlier loads have left theirs in the same queues."""
    begins = (f"chaos-{seed}-", *(f"{burst}-" for burst in gathered["bursts"].values()))

    def mine(asset: str) -> bool:
        return asset in uploads or asset.startswith(begins)

    outbox = [Message(event["assetId"], event["eventId"]) for event in gathered["outbox"] if mine(event["assetId"])]
    channels = {}
    for channel, found in gathered["channels"].items():
        commits, deliveries = observed_in(gathered["observed"], channel)
        waiting = [Message(**each) for each in found["waiting"]]
        channels[channel] = ChannelEvidence(
            results=found["results"],
            commits=commits,
            deliveries=deliveries,
            dead_letters=[Message(**each) for each in found["dead_letters"] if mine(each["asset_id"])],
            waiting=[each for each in waiting if mine(each.asset_id)] + outbox,
            hidden=max(0, found["counted"] - len(waiting)),
        )
    return Evidence(uploads, channels)


def failed_uploads(answers: Mapping[str, int]) -> dict[str, int]:
    """Give the answers that were no 202, and how many there were of each; ``none``: the connection broke."""
    return {kind: count for kind, count in answers.items() if kind.removeprefix("burst ") != _ACCEPTED}


def repeated(observed: list[dict[str, Any]], fails: Fails) -> dict[tuple[str, str], int]:
    """Give the jobs that workers were seen to begin more than once: channel and asset, and how often.

    Not those that fail for good: a worker that is told to stop gives back what waits for its next try.
    """
    begun = Counter((line["channel"], line["asset"]) for line in observed if line["what"] == "delivered")
    return {job: count for job, count in begun.items() if count > 1 and not fails(*job)}
