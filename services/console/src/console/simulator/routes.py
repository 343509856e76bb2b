"""The page ``/simulator`` and the simulations behind it."""

from typing import Annotated

import orjson
from flask import Flask, Response, request
from flask_babel import gettext as _
from flask_babel import lazy_gettext
from pydantic import BaseModel, ConfigDict, Field

from console.bodies import read_body
from console.pages import render_page
from console.problems import Kind, Problem
from console.runtime import Runtime
from console.simulator.controls import Controls
from console.simulator.frames import FIELDS
from console.simulator.presets import LESSONS, PRESETS
from console.simulator.run import Action, Run
from console.simulator.runs import NoSuchRun, Runs, TooFast, TooManyRuns

_GONE = Kind("simulation-ended", 404, lazy_gettext("This simulation has ended"))
_TOO_FAST = Kind("simulation-too-fast", 429, lazy_gettext("The simulation can't go faster"), 1)
_TOO_MANY = Kind("too-many-simulations", 503, lazy_gettext("Too many simulations are running"), 30)


class Beginning(BaseModel):
    """A new simulation: a preset's, or by controls of its own."""

    model_config = ConfigDict(extra="forbid")

    preset: str | None = None
    controls: Controls | None = None
    seed: int = Field(default=1, ge=0, le=2**32 - 1)


class Going(BaseModel):
    """How far to go on, and what to change before."""

    model_config = ConfigDict(extra="forbid")

    seconds: Annotated[float, Field(gt=0, le=20)]
    frames: Annotated[int, Field(ge=1, le=40)] = 5
    controls: Controls | None = None
    actions: tuple[Action, ...] = Field(default=(), max_length=8)


def add_simulator_routes(app: Flask, runtime: Runtime) -> None:
    """Add the page, and the addresses its script plays simulations by."""
    runs = Runs(runtime.settings.simulations)

    @app.get("/simulator")
    def simulator() -> str:
        chosen = PRESETS.get(request.args.get("preset", ""), PRESETS["keeping-up"])
        return render_page("simulator.html", area="simulator", lessons=LESSONS, chosen=chosen)

    @app.post("/simulator/runs")
    def begin_simulation() -> Response:
        return _begin(runs, read_body(Beginning))

    @app.post("/simulator/runs/<key>/advance")
    def advance_simulation(key: str) -> Response:
        return _advance(runs, key, read_body(Going))

    @app.delete("/simulator/runs/<key>")
    def end_simulation(key: str) -> Response:
        runs.remove(key)
        return Response(status=204)


def _begin(runs: Runs, asked: Beginning) -> Response:
    preset = PRESETS.get(asked.preset) if asked.preset else None
    controls = asked.controls or (preset.controls if preset else Controls())
    run = Run(controls, seed=asked.seed, cues=preset.cues if preset else ())
    try:
        key = runs.add(run)
    except TooManyRuns:
        raise Problem(_TOO_MANY, _("Others are playing; a place is free when one of them closes the page.")) from None
    return _json({"id": key, "fields": FIELDS, "controls": controls.model_dump(), "frame": run.first()}, 201)


def _advance(runs: Runs, key: str, asked: Going) -> Response:
    try:
        run = runs.take(key, asked.seconds)
    except NoSuchRun:
        raise Problem(_GONE, _("It rested for too long. Begin a new one.")) from None
    except TooFast:
        raise Problem(_TOO_FAST, _("Ask for fewer simulated seconds, or wait a moment.")) from None
    return _json(run.advance(asked.seconds, asked.frames, controls=asked.controls, actions=asked.actions))


def _json(value: object, status: int = 200) -> Response:
    answer = Response(orjson.dumps(value), status, mimetype="application/json")
    answer.headers["Cache-Control"] = "no-store"
    return answer
