"""Times as they stand in the store: RFC 3339, UTC, to the millisecond. Pure but for the clock."""

from datetime import UTC, datetime


def rfc3339(moment: datetime) -> str:
    """Write a time, e.g. ``2026-03-01T08:15:30.250Z``. A naive time is taken as UTC."""
    aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return aware.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def now() -> str:
    """Write the present time."""
    return rfc3339(datetime.now(UTC))


def moment_of(text: object) -> datetime | None:
    """Read a time back; None for anything that is none."""
    try:
        moment = datetime.fromisoformat(str(text))
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
