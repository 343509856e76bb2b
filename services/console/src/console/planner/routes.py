"""The page ``/planner``, and the part of the admin API that answers questions about a channel."""

from collections.abc import Mapping
from typing import Annotated, Any

import orjson
from flask import Flask, Response, request
from flask_babel import gettext as _
from pydantic import Field

from console.bodies import read_body
from console.channel_marks import channel_marks
from console.pages import render_page
from console.planner.asker import NoAnswer, Superseded, TooBusy
from console.planner.measured import MEASURED, Measured
from console.planner.question import Question
from console.planner.wire import measured_json
from console.problems import INTERNAL, NO_SUCH_CHANNEL, REFUSED, TOO_BUSY, Problem
from console.runtime import Runtime


class AskedQuestion(Question):
    """A question, and who asks: the next one under the same name takes the place of this one."""

    asked_by: Annotated[str, Field(max_length=64)] = ""


def add_planner_routes(app: Flask, runtime: Runtime) -> None:
    """Add the page and the admin API."""
    planning = runtime.planning

    @app.get("/planner")
    def planner() -> str:
        channels = tuple(runtime.channels.current())
        asked = request.args.get("channel")
        chosen = asked if asked in channels else _first_choice(channels)
        marks = channel_marks(channels)
        return render_page("planner.html", area="planner", channels=channels, chosen=chosen, marks=marks)

    @app.get("/admin/planner/<channel>")
    def figures(channel: str) -> Response:
        return _json(measured_json(_measured(runtime, channel)))

    @app.get("/admin/planner/<channel>/measured")
    def measured(channel: str) -> Response:
        """Give the figures with the distributions behind them, for a planner that runs elsewhere."""
        return _json_bytes(MEASURED.dump_json(_measured(runtime, channel)))

    @app.post("/admin/planner/<channel>")
    def answer(channel: str) -> Response:
        asked = read_body(AskedQuestion)
        question = Question(**asked.model_dump(exclude={"asked_by"}))
        try:
            said = planning.asker.ask(_measured(runtime, channel), question, asked.asked_by or "somebody")
        except Superseded:
            raise Problem(REFUSED, _("Something else was asked since.")) from None
        except TooBusy:
            raise Problem(TOO_BUSY, _("Other questions are being answered; ask again in a moment.")) from None
        except NoAnswer as error:
            raise Problem(INTERNAL, _("The question could not be answered: %(error)s.", error=error)) from None
        return _json_bytes(said)


def _first_choice(channels: tuple[str, ...]) -> str:
    """Give the channel that is shown unasked: the one with the slow jobs, where there is one of that name."""
    return "transcode" if "transcode" in channels else next(iter(channels), "")


def _measured(runtime: Runtime, channel: str) -> Measured:
    found = runtime.planning.measurer.measured(channel)
    if found is None:
        known = ", ".join(runtime.channels.current())
        raise Problem(NO_SUCH_CHANNEL, _("There is no channel %(name)s; there are %(all)s.", name=channel, all=known))
    return found


def _json(answer: Mapping[str, Any]) -> Response:
    return _json_bytes(orjson.dumps(answer))


def _json_bytes(answer: bytes) -> Response:
    return Response(answer, headers={"Cache-Control": "no-store"}, content_type="application/json")
