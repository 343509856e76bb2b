"""What went wrong with ingest, as the console's own problems."""

from flask_babel import gettext as _

from console.assets.ingest_errors import IngestError, IngestRefused
from console.problems import INGEST_UNAVAILABLE, NO_SUCH_ADDRESS, Kind, Problem

_NOT_FOUND = 404


def problem_of_ingest(error: IngestError) -> Problem:
    """Give the problem; what ingest refused keeps its status, its name and its wait."""
    if not isinstance(error, IngestRefused):
        return Problem(INGEST_UNAVAILABLE, _("%(reason)s Is it running? Trying again may help.", reason=error))
    if error.status == _NOT_FOUND:
        return Problem(NO_SUCH_ADDRESS, error.detail)
    title = error.members.get("title") or _("The upload service refused this")
    return Problem(Kind(error.kind, error.status, str(title), error.retry_after_s), error.detail)
