"""GET /media and GET /media/<assetId>: JSON for programs, pages for people."""

from functools import cache
from urllib.parse import urlsplit

from flask import Flask, Response, redirect, render_template, request

from ingest.asset_list import Wish, list_assets
from ingest.asset_states import view_asset
from ingest.models import AssetPage, AssetView
from ingest.page_headers import page_headers
from ingest.runtime import Runtime

#: Videos on a page of the browsers' list, which reads each one's channels.
_PAGE_LIMIT = "24"

_JSON, _HTML = "application/json", "text/html"


def add_asset_routes(app: Flask, runtime: Runtime) -> None:
    """Add the routes that show assets."""

    @cache
    def media_origin() -> str | None:
        signed = runtime.store.signed_url("assets/any", 60) if runtime.settings.serve_outputs == "redirect" else None
        return signed and "{0.scheme}://{0.netloc}".format(urlsplit(signed))

    @app.get("/")
    def home() -> Response:
        return redirect("/media")  # type: ignore[return-value]

    @app.get("/media")
    def assets() -> Response:
        query = dict(request.args)
        if not _wants_page():
            return _json(list_assets(runtime, Wish.from_query(query)))
        wish = Wish.from_query({"limit": _PAGE_LIMIT, **query, "include": "status"})
        return _page(_list_page(list_assets(runtime, wish)), media_origin())

    @app.get("/media/<asset_id>")
    def asset(asset_id: str) -> Response:
        view = view_asset(runtime, asset_id)
        return _page(_watch_page(view), media_origin()) if _wants_page() else _json(view)


def _wants_page() -> bool:
    """Tell whether the client likes HTML better than JSON; a client that takes anything gets JSON."""
    return request.accept_mimetypes.best_match([_JSON, _HTML], _JSON) == _HTML


def _watch_page(view: AssetView) -> str:
    title = (view.source and view.source.file_name) or view.asset_id
    return render_template("watch.html", asset=view, title=title)


def _list_page(page: AssetPage) -> str:
    return render_template("list.html", items=page.assets, next=page.next)


def _page(html: str, media_origin: str | None) -> Response:
    return Response(html, headers=page_headers(media_origin=media_origin), content_type="text/html; charset=utf-8")


def _json(answer: AssetView | AssetPage) -> Response:
    headers = {"Cache-Control": "no-store", "Vary": "Accept"}
    return Response(answer.model_dump_json(), headers=headers, content_type=_JSON)
