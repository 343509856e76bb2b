"""A user's file name: metadata to show, never a path. Pure."""

import re
import unicodedata
from urllib.parse import quote

from werkzeug.http import parse_options_header

#: Longest name kept, in bytes of UTF-8: what common file systems take.
MAX_BYTES = 255

#: Suffixes up to this many characters survive the cut.
_LONGEST_SUFFIX = 16

#: Marks that turn text around or hide in it: a name must look like what it is.
_INVISIBLE = re.compile("[\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff\ufff9-\ufffb]")

#: RFC 9110 token characters plus space: what a plain filename="…" may hold without any escaping.
_NOT_PLAIN = re.compile(r"[^A-Za-z0-9 !#$&+\-.^_`|~()\[\],@]")


def clean_file_name(name: str | None) -> str | None:
    r"""Make a name fit to be shown: the last step of a path, no control or invisible characters, at most 255 bytes.

    >>> clean_file_name("../../etc/holi\nday.mp4")
    'holi day.mp4'
    """
    if not name:
        return None
    text = name.encode("utf-8", "replace").decode("utf-8")  # a lone surrogate has no UTF-8
    text = unicodedata.normalize("NFC", re.split(r"[/\\]", text)[-1])
    text = "".join(" " if unicodedata.category(char) in ("Cc", "Zl", "Zp") else char for char in text)
    text = " ".join(_INVISIBLE.sub("", text).split())
    text = _shortened(text)
    return None if text.strip(". ") == "" else text


def _shortened(text: str) -> str:
    if len(text.encode()) <= MAX_BYTES:
        return text
    stem, dot, suffix = text.rpartition(".")
    end = dot + suffix if stem and len(suffix) <= _LONGEST_SUFFIX else ""
    kept = text.removesuffix(end) if end else text
    cut = kept.encode()[: MAX_BYTES - len(end.encode())].decode("utf-8", "ignore")
    return cut.rstrip(" \u200d") + end


def file_name_of_disposition(header: str | None) -> str | None:
    """Read the file name out of a Content-Disposition header (RFC 6266, with RFC 8187's ``filename*``)."""
    if not header:
        return None
    _, options = parse_options_header(_as_utf8(header))
    return options.get("filename")


def _as_utf8(header: str) -> str:
    """Undo WSGI's latin-1: clients send UTF-8 here more often than anything else."""
    try:
        return header.encode("latin-1").decode("utf-8")
    except UnicodeError:
        return header


def attachment_disposition(name: str) -> str:
    """Write a Content-Disposition that saves the file under this name in every browser (RFC 6266, RFC 8187)."""
    plain = _NOT_PLAIN.sub("_", unicodedata.normalize("NFKD", name).encode("ascii", "replace").decode())
    return f"attachment; filename=\"{plain}\"; filename*=UTF-8''{quote(name, safe='')}"
