"""Which content types an upload may have, and how it is taken. Pure."""

from enum import Enum

from ingest.problems import NOT_MEDIA, Problem


class BodyForm(Enum):
    """How the request carries the upload."""

    RAW = "raw"
    MULTIPART = "multipart"
    JSON = "json"


#: What a program sends that does not know better.
GENERIC = "application/octet-stream"

#: Containers registered under application/ although they hold audio and video.
_MEDIA_APPLICATIONS = frozenset(
    {
        GENERIC,
        "application/mp4",
        "application/ogg",
        "application/mxf",
        "application/x-matroska",
        "application/vnd.rn-realmedia",
    }
)

#: Playlists wear audio/ and even video/ types, but they are text that points elsewhere.
_PLAYLISTS = frozenset(
    {"audio/mpegurl", "audio/x-mpegurl", "audio/x-scpls", "video/vnd.mpeg.dash.mpd", "application/vnd.apple.mpegurl"}
)

_CURL_DEFAULT = "application/x-www-form-urlencoded"

_ACCEPTED = (
    "video/*, audio/*, application/octet-stream, application/mp4, multipart/form-data with a part 'file', "
    "or application/json"
)


def bare_type(header: str | None) -> str:
    """Give the media type without parameters, in lower case; a missing header counts as unknown bytes."""
    return (header or GENERIC).partition(";")[0].strip().lower()


def is_media(content_type: str) -> bool:
    """Tell whether a file of this type is taken; whether it really is media, the channels find out."""
    if content_type in _PLAYLISTS:
        return False
    return content_type.startswith(("video/", "audio/")) or content_type in _MEDIA_APPLICATIONS


def body_form(content_type: str) -> BodyForm:
    """Tell how to read a request of this (bare) type, or raise Problem 415 that says what is accepted."""
    if content_type == "application/json" or (
        content_type.startswith("application/") and content_type.endswith("+json")
    ):
        return BodyForm.JSON
    if content_type == "multipart/form-data":
        return BodyForm.MULTIPART
    if is_media(content_type):
        return BodyForm.RAW
    hint = (
        " curl --data-binary sends that type unless told otherwise: add -H 'Content-Type: video/mp4'."
        if content_type == _CURL_DEFAULT
        else ""
    )
    raise Problem(
        NOT_MEDIA, f"{content_type[:100]} is not accepted.{hint} Send {_ACCEPTED}.", headers={"Accept": _ACCEPT}
    )


def require_media(content_type: str) -> None:
    """Raise Problem 415 unless a part of this type may be an upload's file."""
    if not is_media(content_type):
        raise Problem(
            NOT_MEDIA, f"The part 'file' has the type {content_type[:100]}; send video/*, audio/* or {GENERIC}."
        )


#: RFC 9110 section 15.5.16: a 415 may say what would have been accepted.
_ACCEPT = "video/*, audio/*, application/octet-stream, application/mp4, multipart/form-data, application/json"
