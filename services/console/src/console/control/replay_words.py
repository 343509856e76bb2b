"""A replay's request as the replayer's options, and as JSON that is kept beside the run. Pure."""

from collections.abc import Mapping
from dataclasses import asdict, fields
from typing import Any

from console.control.fleet_control import ControlRefused, ReplayRequest

#: Messages that one run can name: its options have to fit into a command line and a Job.
MOST_EVENTS = 2000

_TEXTS = {"reason": "reason", "error": "error", "asset": "asset"}


def replay_arguments(request: ReplayRequest) -> tuple[str, ...]:
    """Give the replayer's options; channel and form of progress are said by whoever starts it.

    Raises ControlRefused for what the replayer would refuse.

    >>> replay_arguments(ReplayRequest("subtitle", reason="rejected", rate=50))
    ('--reason=rejected', '--rate=50/s')
    """
    _check(request)
    # One word for option and value: a value that begins with a dash must not become an option.
    options = [f"--{name}={value}" for name, field in _TEXTS.items() if (value := getattr(request, field)) is not None]
    if request.limit is not None:
        options.append(f"--limit={request.limit}")
    if request.older_than_s is not None:
        options.append(f"--older-than={_decimal(request.older_than_s)}s")
    if request.max_replays is not None:
        options.append(f"--max-replays={request.max_replays}")
    if request.rate is not None:
        options.append(f"--rate={_decimal(request.rate)}/s")
    if request.dry_run:
        options.append("--dry-run")
    return (*options, *(f"--event={event}" for event in request.event_ids))


def request_as_json(request: ReplayRequest) -> dict[str, Any]:
    """Give what `request_from_json` reads; values at their defaults are left out."""
    defaults = {field.name: field.default for field in fields(request)}
    return {name: value for name, value in asdict(request).items() if value != defaults[name]}


def request_from_json(words: Mapping[str, Any], channel: str) -> ReplayRequest:
    """Read a request back; unknown words, of another version, are left out."""
    known = {field.name for field in fields(ReplayRequest)}
    values = {name: value for name, value in words.items() if name in known}
    return ReplayRequest(**values | {"channel": channel, "event_ids": tuple(values.get("event_ids", ()))})


def _check(request: ReplayRequest) -> None:
    if len(request.event_ids) > MOST_EVENTS:
        raise ControlRefused(f"At most {MOST_EVENTS} messages can be named; choose a group of them instead.")
    if request.limit is not None and request.limit < 1:
        raise ControlRefused("The limit is at least one message.")
    if request.max_replays is not None and request.max_replays < 0:
        raise ControlRefused("The number of replays a message may have had is not negative.")
    if request.older_than_s is not None and request.older_than_s < 0:
        raise ControlRefused("An age is not negative.")
    if request.rate is not None and not 0.001 <= request.rate < 1e6:
        raise ControlRefused("The rate is above zero messages per second.")


def _decimal(number: float) -> str:
    """Write a number without an exponent: 0.05, 50, 90.5."""
    return f"{number:.3f}".rstrip("0").rstrip(".")
