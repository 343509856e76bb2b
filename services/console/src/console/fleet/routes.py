"""The page ``/``, its live feed, and the part of the admin API that acts on workers."""

from collections.abc import Mapping
from typing import Any

import orjson
from flask import Flask, Response, request
from flask_babel import gettext as _
from pydantic import BaseModel, ConfigDict, Field

from console.access.operator import operator_name
from console.assets.ingest_errors import IngestError, IngestRefused
from console.audit import AuditEntry
from console.bodies import read_body
from console.fleet.feed import TooManyViewers
from console.fleet.wire import channel_json, look_json
from console.pages import render_page
from console.problems import BROKER_UNAVAILABLE, INGEST_UNAVAILABLE, TOO_MANY_VIEWERS, Kind, Problem
from console.runtime import Runtime

#: Seconds that the first request waits for the first look.
_FIRST_LOOK_S = 3.0

#: Workers of one channel that may be asked for: a slip of the finger is refused here, the fleet has its own limit.
_MOST_WORKERS = 1000

#: Assets of one burst; ingest has its own limit and says so.
_MOST_ASSETS = 100_000


class WhichChannel(BaseModel):
    """Whose workers; none named: everybody's."""

    model_config = ConfigDict(extra="forbid")

    channel: str | None = Field(default=None, min_length=1, max_length=255)


class HowManyAssets(BaseModel):
    """How large a burst is to be."""

    model_config = ConfigDict(extra="forbid")

    count: int = Field(ge=1, le=_MOST_ASSETS)


class HowMany(BaseModel):
    """How many workers there are to be."""

    model_config = ConfigDict(extra="forbid")

    count: int = Field(ge=0, le=_MOST_WORKERS)


def add_fleet_routes(app: Flask, runtime: Runtime) -> None:
    """Add the page, the feed and the admin API."""
    feed, actions = runtime.lookout.feed, runtime.lookout.actions

    @app.get("/")
    def fleet() -> str:
        look = feed.await_look(0, _FIRST_LOOK_S)
        first = look_json(look) | runtime.lookout.told_actions() if look is not None else None
        return render_page("fleet.html", area="fleet", first=first)

    @app.get("/fleet/events")
    def fleet_events() -> Response:
        if request.method == "HEAD":  # a page whose feed broke off asks why
            return Response(status=200 if feed.viewers < runtime.settings.viewers else TOO_MANY_VIEWERS.status)
        try:
            stream = feed.stream(request.headers.get("Last-Event-ID") or request.args.get("after", ""))
        except TooManyViewers:
            full = _("%(count)s pages watch already; try again soon.", count=feed.viewers)
            raise Problem(TOO_MANY_VIEWERS, full) from None
        headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
        return Response(stream, headers=headers, content_type="text/event-stream; charset=utf-8")

    @app.get("/admin/queues")
    def queues() -> Response:
        look = feed.await_look(0, _FIRST_LOOK_S)
        if look is None or not look.broker.answers:
            raise Problem(BROKER_UNAVAILABLE, look.broker.reason if look is not None else _("It has not answered yet."))
        return _json({"at": round(look.at, 3), "queues": [channel_json(channel) for channel in look.channels]})

    @app.post("/admin/workers/pause")
    def pause() -> Response:
        return _acted(actions.pause(read_body(WhichChannel).channel, who=operator_name()))

    @app.post("/admin/workers/resume")
    def resume() -> Response:
        return _acted(actions.resume(read_body(WhichChannel).channel, who=operator_name()))

    @app.post("/admin/workers/<channel>/scale")
    def scale(channel: str) -> Response:
        return _acted(actions.scale(channel, read_body(HowMany).count, who=operator_name()))

    @app.get("/admin/burst")
    def burst_allowed() -> Response:
        """Tell whether simulated load may be sent, and how much at once."""
        try:
            allowed = runtime.ingest.capabilities()
        except IngestError as error:
            return _json({"allowed": False, "most": 0, "reason": str(error)})
        return _json({"allowed": allowed.get("simulated") is True, "most": allowed.get("maxBurst"), "reason": ""})

    @app.post("/admin/burst")
    def burst() -> Response:
        count = read_body(HowManyAssets).count
        try:
            return _acted(actions.burst(runtime.ingest, count, who=operator_name()))
        except IngestRefused as error:
            raise Problem(_refusal(error), error.detail, error.members) from None
        except IngestError as error:
            raise Problem(INGEST_UNAVAILABLE, str(error)) from None


def _refusal(error: IngestRefused) -> Kind:
    """Give what ingest answered as it is: its own kind, status and time to come again."""
    return Kind(error.kind, error.status, str(error.members.get("title", "Refused")), error.retry_after_s)


def _acted(entry: AuditEntry) -> Response:
    return _json(
        {
            "action": entry.action,
            "channel": entry.channel or None,
            "detail": entry.detail,
            "who": entry.who,
            "at": entry.at.isoformat().replace("+00:00", "Z"),
        }
    )


def _json(answer: Mapping[str, Any]) -> Response:
    return Response(orjson.dumps(answer), headers={"Cache-Control": "no-store"}, content_type="application/json")
