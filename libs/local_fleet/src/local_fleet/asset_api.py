"""The two requests to ingest that a client needs: upload a file, look at an asset."""

import contextlib
import http.client
import json
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.parse import quote, urlsplit
from urllib.request import urlopen

from local_fleet.errors import FleetError

#: How long ingest may take for the answer after the file is sent, in seconds.
_PATIENCE_S = 60.0

Asset = dict[str, Any]


class AssetApi:
    """Talks to ingest at `url` (http://host:port)."""

    def __init__(self, url: str) -> None:
        self._url = url
        parts = urlsplit(url)
        self._host, self._port = parts.hostname or "localhost", parts.port or 80

    def upload(self, file: Path, content_type: str = "video/mp4") -> str:
        """Send `file` as the raw body; gives the asset's id. Raises FleetError with what ingest says."""
        connection = http.client.HTTPConnection(self._host, self._port, timeout=_PATIENCE_S)
        try:
            with file.open("rb") as body:
                # A refusal may come, and the connection close, before all is sent: the answer says why.
                with contextlib.suppress(BrokenPipeError, ConnectionResetError):
                    connection.request(
                        "POST",
                        f"/media/upload?filename={quote(file.name)}",
                        body,
                        {"Content-Type": content_type, "Content-Length": str(file.stat().st_size)},
                    )
                answer = connection.getresponse()
                document = _document(answer.read())
        except (OSError, http.client.HTTPException) as error:
            raise FleetError(f"ingest at {self._url} can't be reached: {error}") from None
        finally:
            connection.close()
        if answer.status != http.client.ACCEPTED:
            raise FleetError(
                f"ingest refused the upload ({answer.status}): {document.get('detail', 'no reason given')}"
            )
        return str(document["assetId"])

    def asset(self, asset_id: str) -> Asset:
        """Look at an asset: its channels with state, percent, error and outputs. Raises FleetError."""
        try:
            with urlopen(f"{self._url}/media/{asset_id}", timeout=_PATIENCE_S) as answer:  # noqa: S310 - http by construction
                return _document(answer.read())
        except HTTPError as error:
            raise FleetError(f"ingest answers {error.code} for asset {asset_id}") from None
        except OSError as error:
            raise FleetError(f"ingest at {self._url} can't be reached: {error}") from None


def _document(body: bytes) -> Asset:
    try:
        document = json.loads(body)
    except ValueError:
        return {}
    return document if isinstance(document, dict) else {}
