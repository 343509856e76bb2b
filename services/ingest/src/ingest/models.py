"""What comes in and goes out as JSON; the API description is made from these."""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints
from pydantic.alias_generators import to_camel

from mq_common.events import ASSET_ID_PATTERN

#: Of an upload that does not say whose it is.
ANONYMOUS = "anonymous"

#: Most assets of one burst.
MAX_BURST = 100_000

AssetId = Annotated[
    str,
    StringConstraints(pattern=ASSET_ID_PATTERN),
    Field(description="letters, digits, dot, dash, underscore; at most 128", examples=["demo-001"]),
]
OwnerId = Annotated[
    str, StringConstraints(min_length=1, max_length=128), Field(description="who owns it", examples=["u-1"])
]
#: A century: longer is a mistake in the unit.
DurationSec = Annotated[float, Field(ge=0, le=3.2e9, allow_inf_nan=False, description="claimed length, seconds")]


class _In(BaseModel):
    """Types are taken as they are (no "120" for 120); unknown fields are ignored so that clients may be newer."""

    model_config = ConfigDict(
        frozen=True,
        strict=True,
        extra="ignore",
        alias_generator=to_camel,
        validate_by_name=True,
        validate_by_alias=True,
    )


class _Out(BaseModel):
    model_config = ConfigDict(frozen=True, alias_generator=to_camel, serialize_by_alias=True, validate_by_name=True)


class SimulatedUpload(_In):
    """An asset without a file: it exists only as load."""

    asset_id: AssetId
    owner_id: OwnerId
    duration_sec: DurationSec | None = None


class FileFields(_In):
    """What may be said about an uploaded file, in the query or as fields of a form."""

    asset_id: AssetId | None = None
    owner_id: OwnerId = ANONYMOUS
    duration_sec: DurationSec | None = None


class BurstRequest(_In):
    """Simulated load: so many assets at once."""

    count: int = Field(ge=1, le=MAX_BURST, examples=[2000])
    owner_id: OwnerId = "burst"


class UploadAccepted(_Out):
    """The upload is stored; its event is confirmed (queued), or waits in the outbox for the broker (accepted)."""

    event_id: str
    asset_id: str
    status: Literal["queued", "accepted"] = "queued"


class BurstReport(_Out):
    """How the burst's publishes ended; ``accepted`` were handed to the broker, in ``seconds``."""

    burst_id: str
    accepted: int
    confirmed: int
    unroutable: int
    nacked: int
    unknown: int
    seconds: float


class Capabilities(_Out):
    """What uploads are taken here: so that a client can say so before it sends."""

    simulated: bool = Field(description="assets without a file, and bursts of them, are allowed")
    max_upload_bytes: int
    max_burst: int = MAX_BURST


class SourceView(_Out):
    """The uploaded file."""

    url: str
    size: int
    sha256: str
    content_type: str
    file_name: str | None


class OutputView(_Out):
    """A file that a channel made; ``url`` is a path on this host."""

    name: str
    url: str
    size: int | None
    content_type: str | None


class ChannelErrorView(_Out):
    """Why a channel gave up: this is what operators find in its dead-letter queue.

    reason: rejected (the worker gave up: look at the file, the code or a provider) or delivery_limit (every worker that
    had the message died: look at the machines).
    """

    reason: str | None = None
    error_class: str | None = None
    message: str | None = None
    permanent: bool | None = None
    attempts: int | None = None
    failed_at: str | None = None


class ChannelEventView(_Out):
    """Something that happened to an asset on its way through a channel.

    attempt: counted from 1 in each delivery. delivery: the number of the delivery, where the message came back because
    a worker was lost. replays: how often it was put back from the dead-letter queue, this time included.
    """

    event: Literal[
        "queued", "attempt-failed", "interrupted", "dead-lettered", "replayed", "delivered-again", "started", "done"
    ]
    at: str
    attempt: int | None = None
    worker: str | None = None
    reason: str | None = None
    error_class: str | None = None
    message: str | None = None
    permanent: bool | None = None
    retry_in_sec: float | None = Field(default=None, description="the wait before the next try")
    delivery: int | None = None
    replays: int | None = None


class ChannelView(_Out):
    """Where one channel is with the asset."""

    state: Literal["queued", "running", "done", "dead-lettered"]
    percent: float | None
    step: str | None
    attempt: int | None
    error: ChannelErrorView | None
    outputs: list[OutputView]
    started_at: str | None
    finished_at: str | None
    elapsed_sec: float | None
    events: list[ChannelEventView] = Field(description="what happened, oldest first")


Status = Literal["queued", "running", "done", "dead-lettered"]


class SubtitleView(_Out):
    """A subtitle track of the HLS playlist."""

    name: str
    language: str | None


class PlaybackView(_Out):
    """What a player needs, as far as it is there already: paths on this host."""

    hls: str | None = Field(description="multivariant playlist")
    poster: str | None
    storyboard: str | None = Field(description="WebVTT whose cues are pieces (#xywh) of sheets of pictures")
    subtitles: list[SubtitleView]


class AssetView(_Out):
    """An asset and what each channel did with it."""

    asset_id: str
    event_id: str
    owner_id: str
    duration_sec: float | None
    uploaded_at: datetime
    source: SourceView | None = Field(description="null: a simulated asset, which has no file")
    status: Status = Field(description="done: every channel is; dead-lettered: all have ended and one gave up")
    channels: dict[str, ChannelView]
    playback: PlaybackView


class ChannelBrief(_Out):
    """Where one channel is, in short."""

    state: Status
    percent: float | None
    step: str | None


class AssetSummary(_Out):
    """An asset in the list."""

    asset_id: str
    owner_id: str
    uploaded_at: datetime
    file_name: str | None = None
    size: int | None = None
    url: str
    status: Status | None = Field(default=None, description="only with ?include=status")
    channels: dict[str, ChannelBrief] | None = Field(default=None, description="only with ?include=status")
    poster: str | None = Field(default=None, description="only with ?include=status")


class AssetPage(_Out):
    """Assets, newest first; ``next`` is the path of the next page.

    One request looks at a bounded part of the list, so a search's page may hold fewer assets than wanted, or none, and
    still have a ``next``: it goes on where this one stopped.
    """

    assets: list[AssetSummary]
    next: str | None
    searched_until: datetime | None = Field(
        default=None, description="of a search that has a next: what was uploaded after this time has been looked at"
    )


class ProblemView(_Out):
    """RFC 9457 problem details; some kinds have further members."""

    type: str
    title: str
    status: int
    detail: str
    instance: str


class InvalidField(_Out):
    """One entry of ``errors`` of the problem invalid-fields."""

    field: str
    detail: str
