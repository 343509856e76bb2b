"""One channel's job on one asset: fetch, probe, work, upload, commit."""

import time
from collections.abc import Callable, Mapping
from datetime import timedelta
from pathlib import Path
from typing import Literal

import structlog

from media_common.attempt_history import note_attempt
from media_common.commit import Commit, outputs_in
from media_common.errors import BadMedia, JobCancelled, MediaError, ObjectNotFound, SourceMissing, StoreError
from media_common.ffmpeg import check_installed
from media_common.job_contract import Context, Event, FailedAttempt, Failure, Source, Task, Work
from media_common.last_delivery import last_delivery
from media_common.layout import failure_key, progress_key
from media_common.probe import probe
from media_common.progress_record import ProgressRecord
from media_common.scratch import scratch_folder, sweep
from media_common.settings import MediaSettings
from media_common.store import MediaStore
from media_common.timestamps import now, rfc3339

__all__ = ["ChannelJob", "Context", "Event", "FailedAttempt", "Failure", "Source", "Task", "Work"]

_logger = structlog.get_logger()


class ChannelJob:
    """Runs a channel's work so that its result is committed once, whole, or not at all.

    simulate: stands in for the work on events without a file (given the asset id). after_commit: called
    with the asset id once a result is committed, also when that was before: it has to be repeatable.
    Raises ToolMissing when ffmpeg is not installed: better at the start than with the first message.
    """

    def __init__(
        self,
        store: MediaStore,
        channel: str,
        work: Work,
        *,
        settings: MediaSettings,
        simulate: Callable[[str], None] | None = None,
        after_commit: Callable[[str], None] | None = None,
    ) -> None:
        check_installed()
        self._store, self._channel, self._work = store, channel, work
        self._settings, self._simulate, self._after_commit = settings, simulate, after_commit
        sweep(settings.scratch_dir)

    def run(self, event: Event, context: Context) -> bool:
        """Do the work of an event. True: done now. False: it was done before, here or by another worker.

        Raises the errors of ``media_common.errors`` and whatever `simulate` raises; nothing is committed then.
        """
        log = _logger.bind(
            event_id=event.event_id, asset_id=event.asset_id, channel=self._channel, attempt=context.attempt
        )
        commit = Commit(self._store, event.asset_id, self._channel, event.event_id)
        if commit.is_done():
            log.info("job_duplicate")
            self._finish(event)
            return False
        run = _Run(event, context, self._channel)
        log.info("job_started", simulated=event.source is None)
        if context.returns and context.attempt == 1:
            again = {"delivery": context.returns + 1, "worker": context.worker}
            note_attempt(self._store, event.asset_id, self._channel, "delivered-again", run.started_at, **again)
        try:
            done = self._tried(run, commit, log)
        except JobCancelled:
            if context.cancelled.is_set():
                self._note_interruption(run)
            raise
        except MediaError as error:
            if error.details:
                log.warning("tool_said", error=str(error), details=error.details)
            raise
        if done:
            log.info("job_committed", elapsed_s=run.elapsed_s())
        else:
            log.info("job_duplicate", reason="another worker committed it meanwhile")
        self._finish(event)
        return done

    def attempt_failed(self, event: Event, failed: FailedAttempt) -> None:
        """Write down that a try failed and another one follows. A store that does not take it is logged, not raised."""
        self._note(event, "failed", failed, retryInSec=round(failed.retry_in_s, 3))

    def gave_up(self, event: Event, failure: Failure) -> None:
        """Write down why the event ends here. A store that does not take it is logged, not raised."""
        self._note(event, "gave-up", failure, reason="rejected")
        record = {
            "eventId": event.event_id,
            "channel": self._channel,
            "reason": "rejected",
            "errorClass": failure.error_class,
            "message": failure.message,
            "permanent": failure.permanent,
            "attempts": failure.attempts,
            "worker": failure.worker,
            "startedAt": _started_at(failure),
            "failedAt": rfc3339(failure.failed_at),
        }
        try:
            self._store.put_json(failure_key(event.asset_id, self._channel), record, durable=True)
        except StoreError as error:
            _logger.warning("failure_not_stored", asset_id=event.asset_id, channel=self._channel, error=str(error))

    def _note(self, event: Event, what: Literal["failed", "gave-up"], failure: Failure, **more: object) -> None:
        note_attempt(
            self._store,
            event.asset_id,
            self._channel,
            what,
            rfc3339(failure.failed_at),
            attempt=failure.attempts,
            startedAt=_started_at(failure),
            errorClass=failure.error_class,
            message=failure.message,
            permanent=failure.permanent,
            worker=failure.worker,
            **more,
        )

    def _note_interruption(self, run: "_Run") -> None:
        fields = {"attempt": run.context.attempt, "worker": run.context.worker, "startedAt": run.started_at}
        note_attempt(self._store, run.event.asset_id, self._channel, "interrupted", now(), **fields)

    def _tried(self, run: "_Run", commit: Commit, log: structlog.typing.FilteringBoundLogger) -> bool:
        event, worker = run.event, run.context.worker
        progress = ProgressRecord(self._store, progress_key(event.asset_id, self._channel), run.progress_fields(), log)
        if not run.context.last_delivery:
            return self._work_on(run, commit, progress)
        with last_delivery(
            self._store, event.asset_id, self._channel, progress, event_id=event.event_id, worker=worker
        ):
            return self._work_on(run, commit, progress)

    def _work_on(self, run: "_Run", commit: Commit, progress: ProgressRecord) -> bool:
        source = run.event.source
        if source is None:
            return self._simulated(run, commit)
        progress.update(0.0)
        with scratch_folder(self._settings.scratch_dir) as folder:
            task = self._task(run, source, folder, progress)
            details = self._work(task)
            outputs = outputs_in(task.outputs)
            described = [output.described() for output in outputs]
            return commit.place(
                outputs,
                run.result(described, details, simulated=False),
                worker=run.context.worker,
                cancelled=run.context.cancelled,
            )

    def _task(self, run: "_Run", source: Source, folder: Path, progress: ProgressRecord) -> Task:
        if run.context.cancelled.is_set():
            raise JobCancelled("the job was told to stop")
        path = self._fetched(source, folder)
        outputs = folder / "outputs"
        outputs.mkdir()
        return Task(
            asset_id=run.event.asset_id,
            channel=self._channel,
            source=path,
            info=probe(path, self._settings, cancelled=run.context.cancelled),
            outputs=outputs,
            progress=progress.update,
            cancelled=run.context.cancelled,
            remaining=run.context.remaining,
            settings=self._settings,
        )

    def _fetched(self, source: Source, folder: Path) -> Path:
        try:
            path = self._store.fetch(source.key, folder)
        except ObjectNotFound:
            raise SourceMissing("the source is gone from the store") from None
        except ValueError as error:
            raise SourceMissing(f"the event names no source: {error}") from None
        size = path.stat().st_size
        if size != source.size:
            raise SourceMissing(f"the source in the store has {size} bytes, the event says {source.size}")
        return path

    def _simulated(self, run: "_Run", commit: Commit) -> bool:
        if self._simulate is None:
            raise BadMedia("the event has no source, and this channel does not simulate")
        self._simulate(run.event.asset_id)
        # Load that never was work need not outlast a power cut.
        return commit.record(run.result([], {}, simulated=True), durable=False)

    def _finish(self, event: Event) -> None:
        if self._after_commit is not None:
            self._after_commit(event.asset_id)


def _started_at(failure: Failure) -> str:
    return rfc3339(failure.failed_at - timedelta(seconds=failure.seconds))


class _Run:
    """One attempt: who does what since when."""

    def __init__(self, event: Event, context: Context, channel: str) -> None:
        self.event, self.context, self._channel = event, context, channel
        self.started_at, self._started = now(), time.monotonic()

    def elapsed_s(self) -> float:
        return round(time.monotonic() - self._started, 3)

    def progress_fields(self) -> dict[str, object]:
        return {
            "eventId": self.event.event_id,
            "attempt": self.context.attempt,
            "worker": self.context.worker,
            "startedAt": self.started_at,
            "lastDelivery": self.context.last_delivery,
        }

    def result(
        self, outputs: list[dict[str, object]], details: Mapping[str, object], *, simulated: bool
    ) -> dict[str, object]:
        return {
            "eventId": self.event.event_id,
            "channel": self._channel,
            "outputs": outputs,
            "details": dict(details),
            "attempt": self.context.attempt,
            "worker": self.context.worker,
            "startedAt": self.started_at,
            "finishedAt": now(),
            "elapsedSec": self.elapsed_s(),
            "simulated": simulated,
        }
