"""Waiting and trying again: the channel's policy for jobs (tenacity), and the waits between reconnects."""

import random
import time
from collections.abc import Callable
from typing import TypeVar

from tenacity import RetryCallState, Retrying, retry_if_exception, stop_after_attempt, stop_any
from tenacity.stop import stop_base
from tenacity.wait import wait_base

from mq_common.channels import RetryPolicy

T = TypeVar("T")

#: Share of a wait that is drawn at random, so that workers that failed together don't come back together.
JITTER = 0.1


class _WaitWithJitter(wait_base):
    """initial × multiplier^n up to max, plus up to ten per cent at random. Seconds."""

    def __init__(self, policy: RetryPolicy) -> None:
        self._policy = policy

    def __call__(self, retry_state: RetryCallState) -> float:
        return wait_s(self._policy, retry_state.attempt_number) * (1 + random.uniform(0, JITTER))  # noqa: S311


class _StopBefore(stop_base):
    """Give up when the next try would start after the deadline (monotonic seconds)."""

    def __init__(self, deadline: float, policy: RetryPolicy) -> None:
        self._deadline, self._policy = deadline, policy

    def __call__(self, retry_state: RetryCallState) -> bool:
        return time.monotonic() + wait_s(self._policy, retry_state.attempt_number) >= self._deadline


def wait_s(policy: RetryPolicy, attempt: int) -> float:
    """Give the wait in seconds after the ``attempt``-th try (from 1), before jitter: 0.5, 1, 2 … up to the maximum."""
    exponent = min(attempt - 1, 64)
    return min(policy.initial_ms * policy.multiplier**exponent, policy.max_ms) / 1000


def retrying(
    policy: RetryPolicy,
    *,
    is_transient: Callable[[BaseException], bool],
    deadline: float,
    sleep: Callable[[float], None],
    before_sleep: Callable[[RetryCallState], None],
) -> Retrying:
    """Build tenacity's loop for one job.

    It ends with the job's own exception: when the error is not transient, when the policy's tries are used up, or when
    the next wait would pass ``deadline`` (monotonic seconds).
    """
    return Retrying(
        stop=stop_any(stop_after_attempt(policy.count + 1), _StopBefore(deadline, policy)),
        wait=_WaitWithJitter(policy),
        retry=retry_if_exception(is_transient),
        sleep=sleep,
        before_sleep=before_sleep,
        reraise=True,
    )


class Backoff:
    """Growing waits between reconnects: from ``initial_s`` doubling to ``max_s`` seconds, half of each at random."""

    def __init__(self, *, initial_s: float, max_s: float) -> None:
        self._initial_s, self._max_s = initial_s, max_s
        self._current_s = initial_s

    def next(self) -> float:
        """Give the next wait in seconds."""
        wait = self._current_s * random.uniform(0.5, 1.0)  # noqa: S311
        self._current_s = min(self._current_s * 2, self._max_s)
        return wait

    def reset(self) -> None:
        """Start again from the shortest wait."""
        self._current_s = self._initial_s
