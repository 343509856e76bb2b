"""The pages below ``/dead-letters``."""

from typing import Any

from flask import Flask, redirect, request, url_for
from flask_babel import lazy_gettext as _

from console.dead_letters.admin import add_dead_letters_admin, choice_of_request
from console.dead_letters.advice import PLACES, advice_on
from console.dead_letters.area import DeadLetters
from console.dead_letters.boards import board_of, boards_of
from console.dead_letters.contents import body_view, header_views, visible
from console.dead_letters.letter_page import OpenLetter, open_letter
from console.dead_letters.options import MOST_EVENTS
from console.dead_letters.snapshot import Choice
from console.dead_letters.story import story_of
from console.pages import render_page
from console.problems import NO_SUCH_ADDRESS, Problem
from console.runtime import Runtime
from mq_common.replay_rules import DEFAULT_MAX_REPLAYS

#: Letters on one page of the list.
_PER_PAGE = 50

_SETTINGS: dict[str, Any] = {"max_events": MOST_EVENTS, "max_replays": DEFAULT_MAX_REPLAYS, "places": PLACES}


def add_dead_letters_routes(app: Flask, runtime: Runtime) -> None:
    """Add the pages and the admin API."""
    letters = runtime.dead_letters
    app.add_template_filter(visible)
    add_dead_letters_admin(app, letters)

    @app.get("/dead-letters")
    def dead_letters() -> Any:
        if channel := request.args.get("channel"):
            return redirect(url_for("channel_letters", channel=letters.check(channel)))
        return _page("dead_letters.html", "dead_letters/boards.html", boards=boards_of(letters))

    @app.get("/dead-letters/<channel>")
    def channel_letters(channel: str) -> str:
        letters.check(channel)
        return _page("dead_letters/channel.html", "dead_letters/list.html", **_list(letters, channel))

    @app.get("/dead-letters/<channel>/letter")
    def letter(channel: str) -> Any:
        snapshot = letters.known(letters.check(channel))
        n = int(request.args.get("n", "0")[:9]) if request.args.get("n", "0").isdigit() else 0
        opened = open_letter(snapshot, n, look=request.args.get("look"), event_id=request.args.get("event"))
        if opened is None:
            raise Problem(NO_SUCH_ADDRESS, _("This letter is not in the last look any more: somebody put it back."))
        before, behind = snapshot.neighbours(opened.row.n, choice := choice_of_request())
        values: dict[str, Any] = {"board": board_of(letters, channel), "look": snapshot.id, "choice": choice}
        return render_page(
            "dead_letters/letter.html",
            area="dead_letters",
            before=before,
            behind=behind,
            copies=snapshot.copies(opened.row.event_id) if opened.row.event_id else 1,
            **values,
            **_opened(opened),
            **_SETTINGS,
        )


def _page(whole: str, part: str, /, **values: Any) -> str:
    """Render the page; with ``?part=1`` only what changes with a look, for scripts."""
    template = part if request.args.get("part") == "1" else whole
    return render_page(template, area="dead_letters", **values, **_SETTINGS)


def _list(letters: DeadLetters, channel: str) -> dict[str, Any]:
    board, choice = board_of(letters, channel), choice_of_request()
    number = request.args.get("page", "1")
    page = max(1, int(number[:9])) if number.isascii() and number.isdigit() else 1
    snapshot = board.state.snapshot
    rows, total = snapshot.page(choice, (page - 1) * _PER_PAGE, _PER_PAGE) if snapshot is not None else ([], 0)
    return {
        "board": board,
        "choice": choice,
        "chosen": _chosen(board.groups, choice),
        "rows": rows,
        "total": total,
        "page": page,
        "pages": max(1, -(-total // _PER_PAGE)),
    }


def _chosen(groups: Any, choice: Choice) -> Any:
    """Give the group that the list shows, None when it shows several."""
    if choice.reason is None or choice.error is None:
        return None
    return next((each for each in groups if (each.group.reason, each.error) == (choice.reason, choice.error)), None)


def _opened(opened: OpenLetter) -> dict[str, Any]:
    row, message, contents = opened
    return {
        "row": row,
        "advice": advice_on(row.history.reason, row.error),
        "story": story_of(row, contents.headers),
        "properties": header_views(contents.properties),
        "headers": header_views(contents.headers),
        "body": body_view(message.body, row.size) if message is not None else None,
    }
