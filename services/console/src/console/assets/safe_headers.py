"""Headers under which a user's media is shown or saved, and never run. Pure."""

from collections.abc import Mapping

#: What a browser may show or play in a page. Everything else, above all HTML and SVG, is only ever saved.
_SHOWN = frozenset(
    {
        "image/jpeg",
        "image/png",
        "image/webp",
        "image/avif",
        "text/vtt",
        "application/vnd.apple.mpegurl",
        "video/mp4",
        "video/iso.segment",
        "video/mp2t",
        "video/webm",
        "audio/mp4",
        "audio/mpeg",
        "audio/aac",
    }
)
_UNKNOWN = "application/octet-stream"

#: Told as ingest, or the store behind it, told them.
_PASSED = ("Content-Length", "Content-Range", "Accept-Ranges", "ETag", "Last-Modified", "Cache-Control")

#: Of a request, what decides which bytes are wanted.
ASKED = ("Range", "If-Range", "If-None-Match", "If-Modified-Since")

_NEVER_RUN = {
    "X-Content-Type-Options": "nosniff",
    "Content-Security-Policy": "default-src 'none'; sandbox",
    "Cross-Origin-Resource-Policy": "same-origin",
}


def safe_headers(given: Mapping[str, str], *, file_name: str, to_save: bool = False) -> dict[str, str]:
    """Give the headers of the answer; ``given`` are those of ingest or the store. ``file_name``: an output's own.

    ``to_save``: the file as its user sent it, which is saved and not shown, under the name that ingest gives it.
    """
    bare = given.get("Content-Type", _UNKNOWN).partition(";")[0].strip().lower()
    shown = bare in _SHOWN
    headers = {name: given[name] for name in _PASSED if name in given} | _NEVER_RUN
    headers["Content-Type"] = bare if shown else _UNKNOWN
    if to_save or not shown:
        given_name = given.get("Content-Disposition", "") if to_save else ""
        headers["Content-Disposition"] = (
            given_name if given_name.startswith("attachment") else f'attachment; filename="{_plain(file_name)}"'
        )
    return headers


def _plain(name: str) -> str:
    """Give the last step of an output's name; those hold nothing but letters, digits, dot, dash and underscore."""
    last = name.rpartition("/")[2]
    return "".join(letter for letter in last if letter.isascii() and (letter.isalnum() or letter in "._-")) or "file"
