"""The admin API of dead letters; the page's scripts use the same addresses."""

from typing import Any

import orjson
from flask import Flask, Response, request
from flask_babel import lazy_gettext as _

from console.access.operator import operator_name
from console.bodies import read_body
from console.control.fleet_control import ControlError, ReplayRun
from console.dead_letters.area import DeadLetters
from console.dead_letters.contents import body_view, header_text
from console.dead_letters.letter_page import open_letter
from console.dead_letters.options import ReplayOptions
from console.dead_letters.snapshot import Choice
from console.dead_letters.wire import body_json, forecast_json, group_json, letter_json, look_json, run_json
from console.problems import MALFORMED, NO_SUCH_ADDRESS, Problem

#: Letters of one answer at most, and where nothing is asked for.
MOST_LETTERS, LETTERS = 500, 50


def add_dead_letters_admin(app: Flask, letters: DeadLetters) -> None:
    """Add the routes below ``/admin/dlq``."""
    desk = letters.desk

    @app.get("/admin/dlq")
    def dlq_overview() -> Response:
        runs, trouble = _runs(letters)
        depths = letters.depths()
        rows = [
            {
                "channel": channel,
                "depth": depths.get(channel),
                "look": look_json(letters.looks.state(channel)),
                "run": run_json(run) if (run := letters.last_run(channel, runs)) else None,
            }
            for channel in letters.channels
        ]
        return _json({"channels": rows, "replays": {"possible": trouble is None, "reason": trouble}})

    @app.get("/admin/dlq/<channel>")
    def dlq(channel: str) -> Response:
        snapshot = letters.known(letters.check(channel))
        offset, limit = _number("offset", 0, 0, 10**9), _number("limit", LETTERS, 1, MOST_LETTERS)
        rows, total = snapshot.page(choice_of_request(), offset, limit)
        return _json(
            {
                "channel": channel,
                "depth": letters.depths().get(channel),
                "look": look_json(letters.looks.state(channel)),
                "groups": [group_json(group) for group in snapshot.groups],
                "otherKinds": snapshot.others,
                "letters": [letter_json(row) for row in rows],
                "total": total,
                "offset": offset,
            }
        )

    @app.post("/admin/dlq/<channel>/look")
    def look_again(channel: str) -> Response:
        letters.looks.begin(letters.check(channel))
        return _json(look_json(letters.looks.state(channel)), 202)

    @app.get("/admin/dlq/<channel>/letters/<int:n>")
    def dlq_letter(channel: str, n: int) -> Response:
        letter = open_letter(letters.known(letters.check(channel)), n, look=request.args.get("look"), event_id=None)
        if letter is None:
            raise Problem(NO_SUCH_ADDRESS, _("The list has changed since. Look at it again."))
        body = body_view(letter.message.body, letter.row.size) if letter.message else None
        contents = letter.contents
        return _json(
            letter_json(letter.row)
            | {
                "properties": {name: header_text(value) for name, value in contents.properties.items()},
                "headers": {name: header_text(value) for name, value in contents.headers.items()},
                "body": body_json(body) if body is not None else None,
            }
        )

    @app.post("/admin/dlq/<channel>/replay")
    def replay(channel: str) -> Response:
        options = read_body(ReplayOptions)
        letters.check(channel)
        if options.dry_run:
            return _json(forecast_json(*letters.foretell(channel, options)))
        run = desk.start(channel, options, who=operator_name())
        return _json(run_json(run), 202, {"Location": f"/admin/dlq/{channel}/replay/{run.id}"})

    @app.get("/admin/dlq/<channel>/replay/<run_id>")
    def replay_run(channel: str, run_id: str) -> Response:
        return _json(run_json(desk.run(letters.check(channel), run_id)))

    @app.delete("/admin/dlq/<channel>/replay/<run_id>")
    def stop_replay(channel: str, run_id: str) -> Response:
        return _json(run_json(desk.stop(letters.check(channel), run_id, who=operator_name())), 202)


def choice_of_request() -> Choice:
    """Read which letters a list is to show."""
    given = request.args
    return Choice(given.get("reason") or None, given.get("error") or None, (given.get("q") or "").strip()[:200] or None)


def _runs(letters: DeadLetters) -> tuple[tuple[ReplayRun, ...], str | None]:
    try:
        return letters.desk.all_runs(), None
    except ControlError as error:
        return (), str(error)


def _number(name: str, default: int, least: int, most: int) -> int:
    text = request.args.get(name)
    if text is None:
        return default
    if not text.isascii() or not text.isdigit() or not least <= int(text[:12]) <= most:
        said = _("%(name)s is a whole number from %(least)s to %(most)s.", name=name, least=least, most=most)
        raise Problem(MALFORMED, said)
    return int(text)


def _json(answer: Any, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    fixed = {"Cache-Control": "no-store"}
    return Response(orjson.dumps(answer), status, fixed | (headers or {}), content_type="application/json")
