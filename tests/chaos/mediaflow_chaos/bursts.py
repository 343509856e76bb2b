"""What became of each burst at the door. A burst's assets are numbered, and are accounted for one by one.

A burst has no idempotency key and is sent once. Its client learns its id from the answer; of one whose answer never
came the store knows it, by the owner's name, which is another one for each burst.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from mediaflow_chaos.uploads import Upload, Verdict, verdict_of


@dataclass(slots=True)
class SentBurst:
    """One burst; ``burst_id`` is empty when nothing of it was ever put on record."""

    owner: str
    count: int
    at: float
    verdict: Verdict = Verdict.OPEN
    burst_id: str = ""

    @property
    def assets(self) -> list[str]:
        """The ids of its assets."""
        return [f"{self.burst_id}-{number:06d}" for number in range(1, self.count + 1)] if self.burst_id else []


def bursts_of(lines: Iterable[dict[str, Any]], recorded: Mapping[str, str]) -> list[SentBurst]:
    """Read the lines about bursts; ``recorded`` gives the id of each burst in the store, by its owner.

    Raises ValueError when an accepted burst is not in the store as what the client was told.
    """
    found: dict[str, SentBurst] = {}
    for line in lines:
        owner = line.get("burst")
        if owner is None:
            continue
        if line["what"] == "sent":
            found[owner] = SentBurst(owner, line["count"], line["at"], burst_id=recorded.get(owner, ""))
        elif line["what"] == "answered":
            burst = found[owner]
            burst.verdict = verdict_of(line["status"], line["problem"])
            if burst.verdict is Verdict.ACCEPTED and line["burst_id"] != burst.burst_id:
                raise ValueError(f"{owner} was accepted as {line['burst_id']}, and the store knows {burst.burst_id!r}")
    return list(found.values())


def uploads_of_bursts(bursts: Iterable[SentBurst]) -> dict[str, Upload]:
    """Give every asset of every burst: accepted, open or refused as the burst was."""
    return {asset: Upload(asset, burst.verdict) for burst in bursts for asset in burst.assets}
