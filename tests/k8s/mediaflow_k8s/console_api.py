"""The console's admin API, as programs use it: with its password, from inside the cluster."""

import base64
import json
from dataclasses import dataclass

from mediaflow_k8s.client_pod import ClientPod
from mediaflow_k8s.kubectl import CommandFailed, Json, until


@dataclass(frozen=True, slots=True)
class ConsoleApi:
    """One console; `url` is its Service's."""

    client: ClientPod
    url: str
    password: str

    def pause(self, channel: str | None = None) -> None:
        """Let workers finish what they hold and take nothing new."""
        self._post("/admin/workers/pause", {"channel": channel} if channel else {})

    def resume(self, channel: str | None = None) -> None:
        """Go on as before."""
        self._post("/admin/workers/resume", {"channel": channel} if channel else {})

    def scale(self, channel: str, count: int) -> None:
        """Run that many workers; beside KEDA, hold them there."""
        self._post(f"/admin/workers/{channel}/scale", {"count": count})

    def replay(self, channel: str) -> str:
        """Start a replay of all dead letters; gives the address at which its progress is told."""
        return str(self._ask("POST", f"/admin/dlq/{channel}/replay", {})[1]["Location"])

    def progress(self, location: str) -> Json:
        """Tell how far a replay is."""
        return self._ask("GET", location)[0]

    def dead_letters(self, channel: str) -> Json:
        """Give what is in a channel's dead-letter queue: groups by reason and error, and letters."""
        self._post(f"/admin/dlq/{channel}/look", {})
        until(lambda: not self._look(channel)["looking"], f"a look at the dead letters of {channel}", 60)
        return self._ask("GET", f"/admin/dlq/{channel}?limit=5")[0]

    def queues(self) -> list[Json]:
        """Give each channel as the console sees it."""
        return list(self._ask("GET", "/admin/queues")[0]["queues"])

    def _look(self, channel: str) -> Json:
        told = self._ask("GET", "/admin/dlq")[0]["channels"]
        look: Json = next(each["look"] for each in told if each["channel"] == channel)
        return look

    def _post(self, path: str, body: Json) -> Json:
        return self._ask("POST", path, body)[0]

    def _ask(self, method: str, path: str, body: Json | None = None) -> tuple[Json, dict[str, str]]:
        login = base64.b64encode(f"k8s-test:{self.password}".encode()).decode()
        headers = {"Authorization": f"Basic {login}", "Content-Type": "application/json"}
        sent = None if body is None else json.dumps(body)
        answer = self.client.ask("http", method=method, url=self.url + path, headers=headers, body=sent)
        if answer["status"] >= 300:
            raise CommandFailed(f"console: {method} {path}: {answer['status']} {answer['body'][:500]}")
        return json.loads(answer["body"] or "{}"), answer["headers"]
