"""A fleet as its users see it: over HTTP, at ingest."""

import json
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

#: One job of the clip takes seconds; a busy machine may need minutes.
PATIENCE_S = 120


class FrontDoor(ABC):
    """What tests ask of any fleet, wherever it runs."""

    @property
    @abstractmethod
    def url(self) -> str:
        """Address of ingest."""

    @abstractmethod
    def report(self) -> str:
        """What the fleet's processes say, for the report of a failure."""

    def get(self, path: str) -> bytes:
        with urlopen(f"{self.url}{path}", timeout=60) as answer:
            return answer.read()

    def post(self, path: str, body: bytes, content_type: str) -> tuple[int, dict[str, str], dict[str, Any]]:
        """Status, headers and JSON of the answer."""
        request = Request(f"{self.url}{path}", body, {"Content-Type": content_type})
        with urlopen(request, timeout=60) as answer:
            return answer.status, dict(answer.headers), json.load(answer)

    def upload(self, clip: Path) -> str:
        return self.post("/media/upload", clip.read_bytes(), "video/mp4")[2]["assetId"]

    def asset(self, asset_id: str) -> dict[str, Any]:
        return json.loads(self.get(f"/media/{asset_id}"))

    def wait_for(self, asset_id: str, condition: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        self.until(lambda: condition(self.asset(asset_id)))
        return self.asset(asset_id)

    def until(self, condition: Callable[[], bool], patience_s: float = PATIENCE_S) -> None:
        deadline = time.monotonic() + patience_s
        while not condition():
            assert time.monotonic() < deadline, self.report()
            time.sleep(0.1)
