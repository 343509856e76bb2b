"""What can go wrong with a request to ingest."""

from collections.abc import Mapping
from typing import Any


class IngestError(Exception):
    """A request to ingest did not bring what was asked for; its text says why, in a sentence for people."""


class IngestUnavailable(IngestError):
    """Ingest can't be reached, or broke the connection off: nothing is known of the request's effect."""


class IngestRefused(IngestError):
    """Ingest answered, with a problem (RFC 9457). ``kind``: the last part of its type, such as ``over-capacity``.

    ``retry_after_s``: seconds after which it may be asked again, when it says so. ``members``: the whole problem.
    """

    def __init__(
        self, status: int, kind: str, detail: str, *, retry_after_s: int | None, members: Mapping[str, Any]
    ) -> None:
        super().__init__(detail)
        self.status, self.kind, self.detail = status, kind, detail
        self.retry_after_s, self.members = retry_after_s, members


class AnswerNotUnderstood(IngestError):
    """What answers at ingest's address is not ingest, or another version of it."""
