"""Ingest, as a client in the cluster uses it."""

import json
from dataclasses import dataclass
from pathlib import Path

from mediaflow_k8s.client_pod import ClientPod
from mediaflow_k8s.kubectl import Json, until
from mediaflow_k8s.own_values import CHANNELS

_JSON = {"Content-Type": "application/json"}


@dataclass(frozen=True, slots=True)
class FrontDoor:
    """Its Service; time limits are multiplied by `patience`."""

    client: ClientPod
    url: str
    patience: float

    def upload(self, asset: str) -> Json:
        """Upload an asset without a file; gives the answer."""
        return self._post("/media/upload", {"assetId": asset, "ownerId": "k8s-test", "durationSec": 12})

    def burst(self, count: int) -> Json:
        """Send a burst; gives the answer."""
        return self._post("/media/burst", {"count": count, "ownerId": "k8s-test"})

    def upload_file(self, file: Path) -> Json:
        """Upload a real file; gives the answer."""
        url = f"{self.url}/media/upload?filename={file.name}"
        there = self.client.bring(file)
        return self.client.ask("http", method="POST", url=url, headers={"Content-Type": "video/mp4"}, file=there)

    def asset(self, asset_id: str) -> Json:
        """Give what is told of an asset."""
        found: Json = json.loads(self.get(f"/media/{asset_id}")["body"])
        return found

    def get(self, path: str) -> Json:
        """Get whatever is there; gives the answer, after redirections."""
        return self.client.ask("http", method="GET", url=self.url + path, headers={})

    def await_asset(self, asset_id: str, limit_s: float) -> dict[str, str]:
        """Wait until an asset is done or dead-lettered in each channel; gives the states."""

        def states() -> dict[str, str]:
            channels = self.asset(asset_id).get("channels", {})
            return {name: each["state"] for name, each in channels.items()}

        def ended() -> dict[str, str] | None:
            found = states()
            return found if set(found) == set(CHANNELS) and set(found.values()) <= {"done", "dead-lettered"} else None

        try:
            found: dict[str, str] = until(ended, f"the end of {asset_id}", limit_s * self.patience)
        except TimeoutError as late:
            raise TimeoutError(f"{late}; it is {states()}") from None
        return found

    def _post(self, path: str, body: Json) -> Json:
        return self.client.ask("http", method="POST", url=self.url + path, headers=_JSON, body=json.dumps(body))
