"""Where the console shows what ingest serves: the same things under addresses of its own. Pure."""

from urllib.parse import quote

#: How ingest's addresses of assets begin.
_INGEST = "/media/"


def asset_page(asset_id: str) -> str:
    """Give the address of an asset's page."""
    return f"/assets/{quote(asset_id, safe='')}"


def file_address(ingest_path: str) -> str:
    """Give the console's address of a file that ingest serves at this path.

    >>> file_address("/media/a-1/transcode/720p/index.m3u8")
    '/assets/a-1/files/transcode/720p/index.m3u8'
    >>> file_address("/media/a-1/source")
    '/assets/a-1/source'
    """
    asset_id, _, name = ingest_path.removeprefix(_INGEST).partition("/")
    return f"/assets/{asset_id}/source" if name == "source" else f"/assets/{asset_id}/files/{name}"


def ingest_source(asset_id: str) -> str:
    """Give ingest's path of an uploaded file."""
    return f"{_INGEST}{quote(asset_id, safe='')}/source"


def ingest_output(asset_id: str, channel: str, name: str) -> str:
    """Give ingest's path of a file that a channel made."""
    return f"{_INGEST}{quote(asset_id, safe='')}/{quote(channel, safe='')}/{quote(name)}"
