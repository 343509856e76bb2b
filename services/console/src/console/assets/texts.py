"""Sizes and durations as people read them, in the page's language."""

from flask_babel import format_decimal
from flask_babel import gettext as _

_UNITS = ("B", "kB", "MB", "GB", "TB")


def size_text(size: int) -> str:
    """Write a number of bytes, such as ``12.3 MB``."""
    value, unit = float(size), _UNITS[0]
    for unit in _UNITS:
        if value < 1000 or unit == _UNITS[-1]:
            break
        value /= 1000
    digits = "#,##0.#" if unit != "B" and value < 100 else "#,##0"
    return f"{format_decimal(value, digits)} {unit}"


def seconds_text(seconds: float) -> str:
    """Write a duration by its one or two largest units, such as ``2.4 s`` or ``3 min 5 s``."""
    if seconds < 1:
        return _("%(count)s ms", count=round(seconds * 1000))
    if seconds < 60:
        return _("%(count)s s", count=format_decimal(seconds, "0.#"))
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return _("%(minutes)s min %(seconds)s s", minutes=minutes, seconds=rest)
    hours, minutes = divmod(minutes, 60)
    if hours < 48:
        return _("%(hours)s h %(minutes)s min", hours=hours, minutes=minutes)
    return _("%(days)s d %(hours)s h", days=hours // 24, hours=hours % 24)
