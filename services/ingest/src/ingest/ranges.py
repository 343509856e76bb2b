"""Which bytes of a file a request wants (RFC 9110, sections 13 and 14). Pure."""

from dataclasses import dataclass
from datetime import datetime

from werkzeug.http import parse_if_range_header, parse_range_header, unquote_etag


@dataclass(frozen=True, slots=True)
class Span:
    """Bytes from ``start`` to before ``end``."""

    start: int
    end: int

    @property
    def length(self) -> int:
        """Number of bytes."""
        return self.end - self.start


class Unsatisfiable(Exception):
    """The file has no byte of the wanted range: 416."""


def wanted_span(range_header: str | None, length: int) -> Span | None:
    """Give the one wanted span; None for the whole file.

    A header that is malformed, of another unit, or of several ranges may be ignored, and is. Raises Unsatisfiable.

    >>> wanted_span("bytes=-5", 100)
    Span(start=95, end=100)
    """
    wanted = parse_range_header(range_header)
    if wanted is None or wanted.units != "bytes" or len(wanted.ranges) != 1:
        return None
    start, end = wanted.ranges[0]
    if start < 0:  # the last so many bytes, or all there are
        start, end = max(0, length + start), length
    if start >= length:
        raise Unsatisfiable
    return Span(start, length if end is None else min(end, length))


def range_applies(if_range: str | None, etag: str, modified: datetime) -> bool:
    """Tell whether the client's part belongs to the file as it is now: If-Range names this version, or is not there."""
    if not if_range:
        return True
    condition = parse_if_range_header(if_range)
    if condition.etag is not None:
        return not if_range.startswith("W/") and condition.etag == unquote_etag(etag)[0]
    return condition.date is not None and condition.date == modified.replace(microsecond=0)
