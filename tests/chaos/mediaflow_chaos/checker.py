"""The comparison of what was promised with what came of it. Pure; the one place that says what a fault is."""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from mediaflow_chaos.evidence import ChannelEvidence, Commits, Evidence, Message
from mediaflow_chaos.uploads import Upload, Verdict

#: Why the broker, and not a worker, gave a message up.
DELIVERY_LIMIT = "delivery_limit"
REJECTED = "rejected"

Fails = Callable[[str, str], bool]


class CouldNotCheck(Exception):
    """The run proves nothing: something that has to be read could not be, or there was nothing to prove."""


@dataclass(slots=True)
class ChannelAccount:
    """One channel's line of the table, and a sentence for each thing that is wrong."""

    channel: str
    accepted: int = 0
    done: int = 0
    dead_lettered: int = 0
    by_delivery_limit: int = 0
    lost: int = 0
    duplicated: int = 0
    unexpected: int = 0
    stuck: int = 0
    #: Not wrong: work that came again and was found to be done, or dead letters beside a result.
    duplicate_deliveries: int = 0
    dead_beside_done: int = 0
    removed: int = 0
    faults: list[str] = field(default_factory=list)

    @property
    def holds(self) -> bool:
        """True when the promise was kept."""
        return not (self.lost or self.duplicated or self.unexpected or self.stuck)


def check(evidence: Evidence, fails: Fails, *, delivery_limit_allowed: bool = True) -> list[ChannelAccount]:
    """Compare, channel by channel.

    ``fails(channel, asset_id)`` says whether that channel's provider always refuses the asset: such a one has to be
    dead-lettered, every other one done. Raises CouldNotCheck when nothing was accepted, or nothing was seen at work.
    """
    if not any(upload.verdict is Verdict.ACCEPTED for upload in evidence.uploads.values()):
        raise CouldNotCheck("no upload was accepted: nothing to check")
    for channel, found in evidence.channels.items():
        if found.results and not found.commits:
            raise CouldNotCheck(f"{channel}: there are results, but no commit was observed")
        if found.results and not found.deliveries:
            raise CouldNotCheck(f"{channel}: there are results, but no delivery was observed")
    return [
        _Check(channel, found, evidence.uploads, fails, delivery_limit_allowed).account()
        for channel, found in evidence.channels.items()
    ]


class _Check:
    """One channel's comparison."""

    def __init__(
        self,
        channel: str,
        found: ChannelEvidence,
        uploads: Mapping[str, Upload],
        fails: Fails,
        delivery_limit_allowed: bool,
    ) -> None:
        self._channel, self._found, self._uploads, self._fails = channel, found, uploads, fails
        self._delivery_limit_allowed = delivery_limit_allowed
        self._account = ChannelAccount(channel)
        self._dead: dict[str, list[Message]] = {}
        for letter in found.dead_letters:
            self._dead.setdefault(letter.asset_id, []).append(letter)
        self._waiting = {message.asset_id for message in found.waiting}
        self._gone: list[Upload] = []

    def account(self) -> ChannelAccount:
        account, found = self._account, self._found
        for upload in self._uploads.values():
            self._look_at(upload)
        self._look_for_strangers()
        self._look_at_gone()
        if found.hidden:
            account.stuck += found.hidden
            account.lost = max(0, account.lost - found.hidden)  # those may be among them
            self._fault(f"{found.hidden} messages are in the queue, held by somebody or on their way out of it")
        distinct = sum(1 for count in found.deliveries.values() if count)
        account.duplicate_deliveries = sum(found.deliveries.values()) - distinct
        account.duplicate_deliveries += sum(len(letters) - 1 for letters in self._dead.values())
        return account

    def _look_at(self, upload: Upload) -> None:
        account, asset = self._account, upload.asset_id
        promised = upload.verdict is Verdict.ACCEPTED
        done, letters = asset in self._found.results, self._dead.get(asset, [])
        account.accepted += promised
        account.done += done
        self._look_at_commits(upload)
        self._look_at_events(upload)
        if letters:
            self._look_at_letters(upload, letters, done)
        if asset in self._waiting:
            account.stuck += 1
            self._fault(f"{asset} still waits")
        elif promised and not done and not letters:
            if asset in self._found.removed:
                account.removed += 1
            else:
                self._gone.append(upload)
        if done and self._fails(self._channel, asset) and not upload.has_file:
            self._unexpected(f"{asset} is done, although its provider always fails")
        if upload.verdict is Verdict.REFUSED and (done or letters or asset in self._waiting):
            self._unexpected(f"{asset} was refused, and had an effect all the same")

    def _look_at_gone(self) -> None:
        """Nobody knows which messages a deleted queue's workers held, but how many at most: more are lost."""
        if len(self._gone) <= self._found.removed_unseen:
            self._account.removed += len(self._gone)
            return
        self._account.lost += len(self._gone)
        for upload in self._gone:
            self._fault(f"{upload.asset_id} (event {upload.event_id}) is neither done nor a dead letter")

    def _look_at_commits(self, upload: Upload) -> None:
        seen = self._found.commits.get(upload.asset_id, Commits())
        done = upload.asset_id in self._found.results
        if seen.made > 1 or len(seen.events) > 1:
            self._account.duplicated += 1
            self._fault(f"{upload.asset_id} was committed {seen.made} times, for {len(seen.events)} events")
        if done and not seen.made and not seen.unfinished:
            self._unexpected(f"{upload.asset_id} has a result that no worker was seen to commit")
        if seen.made and not done:
            self._unexpected(f"{upload.asset_id} was committed, and its result is gone")

    def _look_at_events(self, upload: Upload) -> None:
        """One asset, one event: a second one would be the same work twice under another name."""
        events = {letter.event_id for letter in self._dead.get(upload.asset_id, [])}
        if upload.asset_id in self._found.results:
            events.add(self._found.results[upload.asset_id])
        if upload.event_id is not None:
            events.add(upload.event_id)
        if len(events) > 1:
            self._unexpected(f"{upload.asset_id} is known under {len(events)} events: {', '.join(sorted(events))}")

    def _look_at_letters(self, upload: Upload, letters: list[Message], done: bool) -> None:
        account, asset = self._account, upload.asset_id
        reasons = Counter(letter.reason for letter in letters)
        if done:
            account.dead_beside_done += 1
        else:
            account.dead_lettered += 1
        if reasons[DELIVERY_LIMIT]:
            account.by_delivery_limit += 1
            if not self._delivery_limit_allowed:
                self._unexpected(f"{asset} is a dead letter because of restarts (delivery_limit)")
        if done and reasons[REJECTED]:
            account.duplicated += 1
            self._fault(f"{asset} is done, and was given up by a worker as well")
        elif reasons[REJECTED] and not self._fails(self._channel, asset):
            self._unexpected(f"{asset} was given up, although its provider never fails")
        for letter in letters:
            if letter.reason not in (DELIVERY_LIMIT, REJECTED) or letter.from_queue != f"media.{self._channel}":
                self._unexpected(f"{asset} died of {letter.reason or 'nothing'} in {letter.from_queue or 'no queue'}")

    def _look_for_strangers(self) -> None:
        known, found = self._uploads, self._found
        for asset in sorted({*found.results, *found.commits, *self._dead, *self._waiting} - set(known)):
            self._unexpected(f"{asset} was never sent")

    def _unexpected(self, sentence: str) -> None:
        self._account.unexpected += 1
        self._fault(sentence)

    def _fault(self, sentence: str) -> None:
        self._account.faults.append(f"{self._channel}: {sentence}")
