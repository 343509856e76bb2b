"""What a client does at ingest's door."""

import json
from dataclasses import dataclass
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

from ingest.bursts import burst_asset_id
from mediaflow_scenarios.scrape import Samples, scrape

_PATIENCE_S = 60.0

Answer = dict[str, Any]


@dataclass(frozen=True)
class Door:
    """Talks to ingest at `url` (http://host:port)."""

    url: str

    def upload(self, asset_id: str) -> tuple[int, Answer]:
        """Upload a simulated asset as the article does; gives the status and the answer's JSON."""
        return self._post("/media/upload", {"assetId": asset_id, "ownerId": "u-1", "durationSec": 120})

    def burst(self, count: int) -> tuple[int, Answer, list[str]]:
        """Upload `count` simulated assets at once; gives the status, the answer's JSON and the assets' ids."""
        status, answer = self._post("/media/burst", {"count": count})
        burst_id = answer.get("burstId", "burst")
        return status, answer, [burst_asset_id(burst_id, number) for number in range(1, count + 1)]

    def asset(self, asset_id: str) -> Answer:
        """Look at an asset and its channels."""
        with urlopen(f"{self.url}/media/{asset_id}", timeout=_PATIENCE_S) as answer:
            return json.load(answer)

    def metrics(self) -> Samples:
        """Read what ingest counts."""
        return scrape(self.url)

    def _post(self, path: str, body: Answer) -> tuple[int, Answer]:
        request = Request(f"{self.url}{path}", json.dumps(body).encode(), {"Content-Type": "application/json"})
        try:
            with urlopen(request, timeout=_PATIENCE_S) as answer:
                return answer.status, json.load(answer)
        except HTTPError as refused:
            return refused.code, json.loads(refused.read() or b"{}")
