"""A message's body and headers as people can read them, whatever a stranger put there. Pure."""

import codecs
import json
import unicodedata
from collections.abc import Mapping
from datetime import datetime
from typing import Any, Literal, NamedTuple

#: Characters of a body that are shown; bytes of a binary one.
_MOST_CHARS = 64 * 1024
_MOST_BINARY_BYTES = 2048
#: Characters of one header's value, and headers.
_MOST_VALUE_CHARS = 2000
_MOST_HEADERS = 100
_PER_LINE = 16

BodyKind = Literal["json", "text", "binary", "empty"]


class BodyView(NamedTuple):
    """A body for people. ``size``: bytes of the whole; ``shown``: bytes of it that ``text`` is made of."""

    kind: BodyKind
    text: str
    size: int
    shown: int

    @property
    def is_cut(self) -> bool:
        """Whether there is more than is shown."""
        return self.shown < self.size


def body_view(body: bytes, size: int) -> BodyView:
    """Show a body, of which ``body`` is the beginning: JSON indented, other text as it is, the rest as bytes in hex."""
    if not size:
        return BodyView("empty", "", 0, 0)
    text = _as_text(body, whole=len(body) == size)
    if text is None:
        shown = body[:_MOST_BINARY_BYTES]
        return BodyView("binary", _hex_dump(shown), size, len(shown))
    pretty = _pretty_json(text) if len(body) == size else None
    kind: BodyKind = "json" if pretty is not None else "text"
    return BodyView(kind, visible(pretty if pretty is not None else text)[:_MOST_CHARS], size, len(body))


def header_views(headers: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Give names and values as text; very many, or very long ones, are cut."""
    return [(visible(name), header_text(value)) for name, value in list(headers.items())[:_MOST_HEADERS]]


def header_text(value: Any) -> str:
    """Give a header's value in one text."""
    if value is None:
        return "—"
    if isinstance(value, str):
        text = value
    elif isinstance(value, bytes | bytearray):
        text = value.hex(" ")
    elif isinstance(value, datetime):
        text = value.isoformat()
    elif isinstance(value, Mapping | list):
        text = _pretty(value)
    else:
        text = str(value)
    cut = visible(text[:_MOST_VALUE_CHARS])
    return cut if len(text) <= _MOST_VALUE_CHARS else f"{cut} … ({len(text)} characters)"


def visible(text: str) -> str:
    r"""Write out what can't be seen, or turns the reading direction round, so that nothing looks like what it is not.

    >>> visible("a\u202egpj.exe")
    'a\\u202egpj.exe'
    """
    return "".join(
        char
        if char in "\n\t" or unicodedata.category(char) not in ("Cc", "Cf", "Cs", "Co", "Zl", "Zp")
        else _escaped(char)
        for char in text
    )


def _escaped(char: str) -> str:
    return f"\\u{ord(char):04x}" if ord(char) < 0x10000 else f"\\U{ord(char):08x}"


def _as_text(body: bytes, *, whole: bool) -> str | None:
    """Decode UTF-8; a character that the cut went through is left out. None for what is no text."""
    try:
        text = codecs.getincrementaldecoder("utf-8")().decode(body, final=whole)
    except UnicodeDecodeError:
        return None
    return None if "\0" in text else text


def _pretty_json(text: str) -> str | None:
    try:
        return _pretty(json.loads(text))
    except (ValueError, RecursionError):
        return None


def _pretty(value: Any) -> str:
    try:
        return json.dumps(value, indent=2, ensure_ascii=False, default=header_text)
    except (ValueError, TypeError, RecursionError):
        return repr(value)[:_MOST_VALUE_CHARS]


def _hex_dump(data: bytes) -> str:
    lines = []
    for start in range(0, len(data), _PER_LINE):
        row = data[start : start + _PER_LINE]
        printable = "".join(chr(byte) if 0x20 <= byte < 0x7F else "·" for byte in row)
        lines.append(f"{start:06x}  {row.hex(' '):<{3 * _PER_LINE - 1}}  {printable}")
    return "\n".join(lines)
