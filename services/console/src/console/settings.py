"""Settings of the console, read from MEDIAFLOW_CONSOLE_* variables."""

from pathlib import Path
from typing import Annotated

from pydantic import Field, SecretStr
from pydantic_settings import SettingsConfigDict

from mq_common.settings import Settings

#: This process's own prefix behind MEDIAFLOW_: an unknown variable under it stops the start.
OWNER = "CONSOLE_"

#: Requests served at once besides the open live views.
THREADS_FOR_REQUESTS = 32


class ConsoleSettings(Settings):
    """Where the console listens, who may come in, and how many may watch."""

    model_config = SettingsConfigDict(env_prefix="MEDIAFLOW_CONSOLE_")

    host: str = Field(default="127.0.0.1", description="address to listen on; any but loopback needs a password")
    port: int = Field(default=8090, ge=0, le=65535, description="0 takes a free port")
    password: SecretStr | None = Field(
        default=None, min_length=8, description="what operators log in with; unset: loopback only, without a login"
    )
    secret_key: SecretStr | None = Field(
        default=None, min_length=16, description="signs sessions; unset: one is made and kept in the state folder"
    )
    state_dir: Path | None = Field(
        default=None, description="where a made secret key is kept; unset: in memory, so that a restart ends sessions"
    )
    session_hours: Annotated[float, Field(gt=0, le=24 * 31)] = Field(
        default=12.0, description="hours from a login to the next one"
    )
    trusted_hops: Annotated[int, Field(ge=0, le=9)] = Field(
        default=0, description="reverse proxies in front whose X-Forwarded-For, -Proto and -Host are believed"
    )
    ingest_url: Annotated[str, Field(pattern=r"^https?://[^/?#@]+/?$")] = Field(
        default="http://127.0.0.1:8080", description="where ingest answers: http or https, without a path"
    )
    debug: bool = Field(default=False, description="shows /style, the page of all the parts that pages are made of")
    viewers: Annotated[int, Field(ge=1, le=2000)] = Field(
        default=250, description="live views open at once; further ones are asked to come again"
    )
    simulations: Annotated[int, Field(ge=1, le=500)] = Field(
        default=40, description="simulations played at once; ones that nobody looks at make way"
    )

    @property
    def threads(self) -> int:
        """Threads of the process: one for each live view, and some for everything else."""
        return self.viewers + THREADS_FOR_REQUESTS
