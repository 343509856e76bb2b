"""What went wrong with ingest, as the console's own problems."""

from console.assets.ingest_errors import IngestError, IngestRefused
from console.problems import INGEST_UNAVAILABLE, NO_SUCH_ADDRESS, Kind, Problem

_NOT_FOUND = 404


def problem_of_ingest(error: IngestError) -> Problem:
    """Give the problem; what ingest refused keeps its status, its name and its wait."""
    if not isinstance(error, IngestRefused):
        return Problem(INGEST_UNAVAILABLE, f"{error} Is it running? Trying again may help.")
    if error.status == _NOT_FOUND:
        return Problem(NO_SUCH_ADDRESS, error.detail)
    title = str(error.members.get("title") or "The upload service refused this")
    return Problem(Kind(error.kind, error.status, title, error.retry_after_s), error.detail)
