"""Says in words what a file is that is no media we accept. Pure."""

import re

#: How much of a file's start, in bytes, is needed to tell.
HEAD_BYTES = 4096

_NOT_ACCEPTED = re.compile(r"\[(\S+) @ 0x[0-9a-f]+\] Format not on whitelist")

#: ffmpeg's names for formats that are refused on purpose.
_REFUSED_FORMATS = {
    "hls": "an HLS playlist, which names other files, and not a video",
    "dash": "a DASH manifest, which names other files, and not a video",
    "concat": "a list of other files (ffconcat), and not a video",
    "imf": "an IMF playlist, which names other files, and not a video",
    "sdp": "a session description (SDP), which names an address, and not a video",
    "tty": "text, and not a video",
    "gif": "a GIF picture, and not a video",
    "apng": "a PNG picture, and not a video",
    "image2": "a picture, and not a video",
    "srt": "subtitles, and not a video",
    "ass": "subtitles, and not a video",
    "webvtt": "subtitles, and not a video",
}

_SIGNATURES: tuple[tuple[bytes, str], ...] = (
    (b"#EXTM3U", "an HLS playlist, which names other files, and not a video"),
    (b"ffconcat version", "a list of other files (ffconcat), and not a video"),
    (b"\x89PNG", "a PNG picture, and not a video"),
    (b"\xff\xd8\xff", "a JPEG picture, and not a video"),
    (b"GIF8", "a GIF picture, and not a video"),
    (b"%PDF", "a PDF document, and not a video"),
    (b"PK\x03\x04", "a ZIP archive (or an office document), and not a video"),
    (b"\x1f\x8b", "a gzip archive, and not a video"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive, and not a video"),
    (b"Rar!", "a RAR archive, and not a video"),
    (b"\x7fELF", "a program, and not a video"),
    (b"MZ", "a program, and not a video"),
)
_PICTURE_BRANDS = {b"heic": "HEIC", b"heix": "HEIC", b"mif1": "HEIF", b"avif": "AVIF"}


def what_was_found(head: bytes, complaint: str) -> str:
    """Say what the file is instead of media: the rest of a sentence that starts with "the file is".

    head: the file's first bytes. complaint: what ffprobe wrote about it.
    """
    refused = _NOT_ACCEPTED.search(complaint)
    name = refused.group(1).split(",")[0] if refused else ""
    if name in _REFUSED_FORMATS:
        return _REFUSED_FORMATS[name]
    return (
        _by_signature(head)
        or _unfinished(head, complaint)
        or _as_text(head)
        or (f"of the format {name!r}, which is not accepted here" if name else None)
        or "of no media format that is known here"
    )


def _by_signature(head: bytes) -> str | None:
    for signature, words in _SIGNATURES:
        if head.startswith(signature):
            return words
    if head[:4] == b"RIFF" and head[8:12] == b"WEBP":
        return "a WebP picture, and not a video"
    picture = _PICTURE_BRANDS.get(head[8:12]) if head[4:8] == b"ftyp" else None
    return f"a {picture} picture, and not a video" if picture else None


def _unfinished(head: bytes, complaint: str) -> str | None:
    if head[4:8] not in (b"ftyp", b"moov", b"mdat", b"free", b"wide") or "moov atom not found" not in complaint:
        return None
    return "an MP4 without its index (no moov atom): the recording or the upload was cut off"


def _as_text(head: bytes) -> str | None:
    try:
        text = head.decode("utf-8")
    except UnicodeDecodeError as error:
        if error.start < len(head) - 3:  # a character cut off at the end of the head is still text
            return None
        text = head[: error.start].decode("utf-8")
    if any(ord(character) < 32 and character not in "\t\n\r\f" for character in text):
        return None
    start = text.lstrip("\ufeff \t\r\n").lower()
    if start.startswith(("<!doctype html", "<html")):
        return "a web page, and not a video"
    return "text, and not a video"
