"""What happened to a group of dead letters, and the safe next step: OPERATIONS.md's table, at hand."""

from dataclasses import dataclass
from typing import Literal

from flask_babel import lazy_gettext as _
from flask_babel.speaklater import LazyString

from mq_common.dead_letters import DELIVERY_LIMIT, REJECTED

#: Where to look for the cause.
Place = Literal["code", "machines", "publisher"]

PLACES: dict[Place, LazyString] = {
    "code": _("look at the code or the provider"),
    "machines": _("look at the machines"),
    "publisher": _("look at who published it"),
}


@dataclass(frozen=True, slots=True)
class Advice:
    """Where to look, what happened, and what to do.

    ``first``: the safe next step: putting back the whole group, once the cause is mended; one letter, to be watched; or
    none, since it would only come back.
    """

    place: Place
    happened: LazyString
    do: LazyString
    first: Literal["group", "one", "none"] = "group"


_BROKEN_FILE = Advice(
    "code",
    _("The file is broken, hostile, or over a limit. One try, since another can't help."),
    _("Nothing. Or raise the limit that the message names, and put that asset back."),
    first="none",
)
_SPENT = Advice(
    "code",
    _("Every try that the channel allows has failed."),
    _("Mend the provider, the disk or the store. Then put this group back."),
)
_BY_ERROR = {
    "BadMedia": _BROKEN_FILE,
    "LimitExceeded": _BROKEN_FILE,
    "SourceMissing": Advice(
        "code",
        _("The file is not in the store, or is not the one that was announced."),
        _("Find out who deletes under assets/, and restore it. Then put it back."),
        first="none",
    ),
    "TransientError": _SPENT,
    "ToolFailed": _SPENT,
    "StoreUnavailable": _SPENT,
    "StoreFull": _SPENT,
    "JobTimedOut": Advice(
        "code",
        _("All tries and waits together took longer than the channel's time limit."),
        _("Give the worker more CPU, or the channel a higher limit. Then put this group back."),
    ),
    "InvalidEvent": Advice(
        "publisher",
        _("The message is no event: somebody else publishes to this queue."),
        _("Find the publisher by message id, application and headers. Putting it back brings it here again."),
        first="none",
    ),
}
_UNKNOWN_ERROR = Advice(
    "code",
    _("A worker gave up, and the reason was not kept."),
    _("Look for job_rejected in the worker's log. Put one back and watch it before the rest."),
    first="one",
)
_OTHER_ERROR = Advice(
    "code",
    _("A fault in the job's code; the worker's log has the traceback (job_rejected)."),
    _("Mend it and deploy. Then put this group back."),
)
_LOST_WORKERS = Advice(
    "machines",
    _("Every worker that had the message died or lost its connection before the work was done."),
    _("Look at memory limits, evictions and restarts. Put one back and watch it before the rest."),
    first="one",
)
_NO_DEATH = Advice(
    "publisher",
    _("The message has no death headers: somebody published it straight to the dead-letter queue."),
    _("Find out who did. Putting it back is safe: the workers decide."),
    first="one",
)


def advice_on(reason: str, error: str | None) -> Advice:
    """Give the advice on letters that died for this reason with this class of error (None: not known)."""
    if reason == DELIVERY_LIMIT:
        return _LOST_WORKERS
    if error in _BY_ERROR:
        return _BY_ERROR[error]
    if reason != REJECTED:
        return _NO_DEATH
    return _OTHER_ERROR if error else _UNKNOWN_ERROR
