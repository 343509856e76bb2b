"""The event that tells the channels about an uploaded video, and its form on the wire."""

from datetime import UTC, datetime
from typing import Annotated

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, StringConstraints, ValidationError
from pydantic.alias_generators import to_camel
from uuid_utils import uuid7

from mq_common.errors import InvalidEvent
from mq_common.validation import first_error

#: An asset's id is part of object keys and addresses: no slash, no leading dot, 128 characters at most.
ASSET_ID_PATTERN = r"^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$"

#: AMQP `type` property and CloudEvents `type` of the event.
EVENT_TYPE = "media.uploaded"

#: A larger body is refused before it is parsed; a real event is under 2 KiB.
MAX_BODY_BYTES = 256 * 1024

AssetId = Annotated[str, StringConstraints(pattern=ASSET_ID_PATTERN)]
ShortText = Annotated[str, StringConstraints(min_length=1, max_length=128)]


class _Wire(BaseModel):
    """JSON in camelCase, Python in snake_case; unknown fields are ignored so that newer publishers may add some."""

    model_config = ConfigDict(
        frozen=True, extra="ignore", alias_generator=to_camel, validate_by_name=True, validate_by_alias=True
    )


class Source(_Wire):
    """Where the uploaded file is: object key in the store, size in bytes, SHA-256 in hex."""

    key: Annotated[str, StringConstraints(min_length=1, max_length=1024)]
    size: int = Field(ge=0)
    sha256: Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
    content_type: ShortText
    file_name: Annotated[str, StringConstraints(max_length=255)] | None = None


class MediaEvent(_Wire):
    """A video was uploaded. ``source`` is None for a simulated asset, which exists only as load.

    ``event_id`` is a UUIDv7 in text; ``duration_sec`` is what the uploader claims, in seconds.
    """

    event_id: Annotated[str, StringConstraints(min_length=1, max_length=64)]
    asset_id: AssetId
    owner_id: ShortText
    duration_sec: float | None = Field(default=None, ge=0, allow_inf_nan=False)
    uploaded_at: AwareDatetime
    source: Source | None = None

    @classmethod
    def create(
        cls, *, asset_id: str, owner_id: str, duration_sec: float | None = None, source: Source | None = None
    ) -> "MediaEvent":
        """Make a new event, uploaded now, under a new id."""
        return cls(
            event_id=new_event_id(),
            asset_id=asset_id,
            owner_id=owner_id,
            duration_sec=duration_sec,
            uploaded_at=datetime.now(UTC),
            source=source,
        )

    def to_body(self) -> bytes:
        """Give the JSON body, UTF-8, camelCase keys."""
        return self.__pydantic_serializer__.to_json(self, by_alias=True)

    @classmethod
    def from_body(cls, body: bytes) -> "MediaEvent":
        """Parse a message body; raises InvalidEvent with the reason in one line."""
        if len(body) > MAX_BODY_BYTES:
            raise InvalidEvent(f"the body has {len(body)} bytes; an event has at most {MAX_BODY_BYTES}")
        try:
            return cls.model_validate_json(body)
        except ValidationError as error:
            raise InvalidEvent(f"not a {EVENT_TYPE} event: {first_error(error)}") from None


def new_event_id() -> str:
    """Give a UUIDv7: unique, and later ones sort after earlier ones."""
    return str(uuid7())
