"""The pages of assets, their files, and uploads."""

from datetime import UTC, datetime

from flask import Flask, Response, make_response, request

from console.access.operator import operator_name
from console.assets.addresses import ingest_output, ingest_source
from console.assets.asset_details import AssetDetails, details_of
from console.assets.cards import Card, cards_of
from console.assets.downloads import pass_file
from console.assets.ingest_errors import IngestError
from console.assets.ingest_problems import problem_of_ingest
from console.assets.recent_answers import RecentAnswers
from console.assets.search_form import STATES, SearchForm
from console.assets.texts import seconds_text, size_text
from console.assets.uploads import pass_upload
from console.pages import render_page
from console.runtime import Runtime

#: Assets whose states one request may ask for.
_MOST_IDS = 100


def add_assets_routes(app: Flask, runtime: Runtime) -> None:
    """Add the pages ``/assets`` and ``/assets/<id>``, the files below them, and ``/uploads``."""
    app.add_template_filter(size_text, "size")
    app.add_template_filter(seconds_text, "seconds")
    _add_pages(app, runtime)

    @app.get("/assets/<asset_id>/source")
    def asset_source(asset_id: str) -> Response:
        return pass_file(runtime.ingest, ingest_source(asset_id), file_name=asset_id, to_save=True)

    @app.get("/assets/<asset_id>/files/<channel>/<path:name>")
    def asset_file(asset_id: str, channel: str, name: str) -> Response:
        return pass_file(runtime.ingest, ingest_output(asset_id, channel, name), file_name=name)

    @app.post("/uploads")
    def upload() -> Response:
        answer = pass_upload(runtime.ingest)
        if answer.status_code == 202:
            name = request.args.get("filename", "")
            runtime.audit.record("upload", who=operator_name(), detail=name or answer.headers.get("Location", ""))
        return answer


def _add_pages(app: Flask, runtime: Runtime) -> None:
    client = runtime.ingest
    lists = RecentAnswers(lambda query: client.assets(query))  # noqa: PLW0108 - not before somebody asks
    looks = RecentAnswers(lambda query: client.asset(query["id"]))
    limits = RecentAnswers(lambda _: client.capabilities(), fresh_s=30.0)

    @app.get("/assets")
    def assets() -> Response:
        form = SearchForm.from_query(request.args)
        problem, page, most_bytes = None, {}, None
        try:
            page = lists(form.for_ingest())
            most_bytes = limits({}).get("maxUploadBytes")
        except IngestError as error:
            problem = problem_of_ingest(error)
        return make_response(
            render_page(
                "assets.html",
                area="assets",
                form=form,
                states=STATES,
                cards=_cards(runtime, page),
                more=form.more(page.get("next")),
                searched_until=_moment(page.get("searchedUntil")),
                most_bytes=most_bytes,
                problem=problem,
            ),
            problem.kind.status if problem else 200,
        )

    @app.get("/asset-cards")
    def asset_cards() -> str:
        ids = request.args.get("ids", "").split(",")[:_MOST_IDS]
        try:
            page = lists({"ids": ",".join(ids), "include": "status"}) if any(ids) else {}
        except IngestError as error:
            raise problem_of_ingest(error) from error
        return render_page("assets/cards.html", area="assets", cards=_cards(runtime, page))

    @app.get("/assets/<asset_id>")
    def asset(asset_id: str) -> str:
        try:
            details = _details(runtime, looks({"id": asset_id}))
        except IngestError as error:
            raise problem_of_ingest(error) from error
        template = "assets/live.html" if request.args.get("part") == "live" else "asset.html"
        return render_page(template, area="assets", asset=details)


def _cards(runtime: Runtime, page: dict[str, object]) -> list[Card]:
    return cards_of(page, runtime.channels.current())


def _details(runtime: Runtime, asset: dict[str, object]) -> AssetDetails:
    return details_of(asset, runtime.channels.current(), now=datetime.now(UTC))


def _moment(text: object) -> datetime | None:
    return datetime.fromisoformat(str(text)) if text else None
