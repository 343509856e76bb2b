"""Settings of the front door, read from MEDIAFLOW_INGEST_* variables."""

from typing import Annotated, Literal

from pydantic import Field
from pydantic_settings import SettingsConfigDict

from media_common.cpus import available_cpus
from mq_common.settings import Settings

#: This process's own prefix behind MEDIAFLOW_: an unknown variable under it stops the start.
OWNER = "INGEST_"

#: More worker processes than this bring nothing that more replicas would not bring better.
MOST_WORKERS_BY_DEFAULT = 4

Seconds = Annotated[float, Field(gt=0)]


class IngestSettings(Settings):
    """How the front door listens, and what it lets in."""

    model_config = SettingsConfigDict(env_prefix="MEDIAFLOW_INGEST_")

    host: str = Field(default="127.0.0.1", description="address to listen on; 0.0.0.0 for all")
    port: int = Field(default=8080, ge=0, le=65535, description="0 takes a free port")
    workers: int = Field(
        default_factory=lambda: min(available_cpus(), MOST_WORKERS_BY_DEFAULT),
        ge=1,
        le=64,
        description="worker processes, each with its own connection to the broker",
    )
    threads: int = Field(
        default=32, ge=5, le=512, description="requests one worker serves at once; an upload takes one while it lasts"
    )
    max_upload_bytes: int = Field(default=20 * 1024**3, ge=1, description="largest file accepted")
    allow_simulated: bool = Field(default=False, description="accept assets without a file (JSON uploads, bursts)")
    read_timeout_s: Seconds = Field(default=30.0, description="an upload that sends nothing for so long is given up")
    publish_limit_s: Annotated[float, Field(ge=1, le=60)] = Field(
        default=5.0, description="an answer is given within this time when the broker is slow, blocked or gone"
    )
    serve_outputs: Literal["redirect", "proxy"] = Field(
        default="redirect",
        description="outputs in an S3 store: send the client to a signed address, or pass the bytes through",
    )
    signed_url_s: Annotated[int, Field(ge=60, le=7 * 24 * 3600)] = Field(
        default=3600, description="how long a signed address stays valid"
    )
    capacity: int | None = Field(
        default=None,
        ge=1,
        description="messages the deepest channel queue may hold; uploads are shed as it fills. Unset: off",
    )
    high_water: Annotated[float, Field(gt=0, le=1)] = Field(
        default=0.7, description="share of the capacity above which uploads are shed in proportion to what is left"
    )
    depth_poll_s: Annotated[float, Field(ge=0.1, le=60)] = Field(
        default=1.0, description="seconds between looks at the queues' depths; under load they are looked at sooner"
    )


class OutboxSettings(Settings):
    """Whether uploads are accepted while the broker can't take their events."""

    outbox: Literal["on", "off"] = Field(
        default="on", description="on: the event waits in the store; off: 503 within the publish limit"
    )
    outbox_max_entries: int = Field(
        default=100_000, ge=1, le=1_000_000, description="most events that wait; uploads beyond get 503"
    )
