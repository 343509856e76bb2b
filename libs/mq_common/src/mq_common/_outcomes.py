"""Telling whoever submitted a message how it ended."""

import time
from collections.abc import Sequence

import structlog

from mq_common import metrics
from mq_common._inflight import Submission
from mq_common.messages import Outcome

log = structlog.get_logger()

_COUNTERS = {outcome: metrics.PUBLISHED.labels(outcome.value) for outcome in Outcome}


def tell(submissions: Sequence[Submission], outcome: Outcome) -> None:
    """Count submissions, oldest first, under their outcome and tell it to those who wait for it."""
    if not submissions:
        return
    # One observation for all that one frame answers, of the one that waited longest.
    metrics.CONFIRM_SECONDS.observe(time.monotonic() - submissions[0].submitted)
    _COUNTERS[outcome].inc(len(submissions))
    for submission in submissions:
        try:
            submission.told(outcome)
        except Exception as error:  # a future that was cancelled, or whatever else: it must not end the loop
            log.debug("outcome_not_taken", error=repr(error))
