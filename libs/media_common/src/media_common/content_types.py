"""Content types of what the channels make. Pure."""

from pathlib import PurePosixPath

#: HLS: RFC 8216 section 4 and RFC 4281; segments of fragmented MP4 as ISO/IEC 23000-19 names them.
_BY_SUFFIX = {
    ".m3u8": "application/vnd.apple.mpegurl",
    ".m4s": "video/iso.segment",
    ".mp4": "video/mp4",
    ".m4a": "audio/mp4",
    ".ts": "video/mp2t",
    ".vtt": "text/vtt",
    ".jpg": "image/jpeg",
    ".jpeg": "image/jpeg",
    ".png": "image/png",
    ".webp": "image/webp",
    ".avif": "image/avif",
    ".json": "application/json",
    ".txt": "text/plain; charset=utf-8",
}


def content_type_of(name: str) -> str:
    """Give the content type an output is stored and served with, by its suffix."""
    return _BY_SUFFIX.get(PurePosixPath(name).suffix.lower(), "application/octet-stream")
