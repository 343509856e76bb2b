"""Uploads that bring a file: as the raw body, or as a part of a form."""

from collections.abc import Mapping
from types import TracebackType
from typing import Any, Self
from urllib.parse import parse_qsl

from ingest.acceptance import Registered, register
from ingest.bodies import RequestBody
from ingest.content_types import bare_type, require_media
from ingest.fields import checked_file_fields
from ingest.file_names import file_name_of_disposition
from ingest.file_slot import FileSlot
from ingest.forms import FilePart, FormReader, boundary_of
from ingest.problems import INVALID, Problem
from ingest.runtime import Runtime

Environ = Mapping[str, Any]

#: A form is a little larger than its file.
_FORM_EXTRA_BYTES = 64 * 1024


def take_raw(runtime: Runtime, environ: Environ, body: RequestBody, key: str | None) -> Registered:
    """Take the body as the file; name and fields are in the query, the name perhaps in Content-Disposition."""
    query = query_of(environ)
    fields = checked_file_fields(query)
    body.refuse_over(runtime.settings.max_upload_bytes)
    name = query.get("filename") or file_name_of_disposition(environ.get("HTTP_CONTENT_DISPOSITION"))
    content_type = bare_type(environ.get("CONTENT_TYPE"))
    with runtime.door.admit_file(key), FileSlot(runtime, fields.asset_id, key, content_type) as slot:
        slot.take_body(body)
        return register_file(runtime, slot, query, name, key)


def take_multipart(runtime: Runtime, environ: Environ, body: RequestBody, key: str | None) -> Registered:
    """Take the part ``file`` of a form; fields may be in the query or in the form."""
    query = query_of(environ)
    checked_file_fields(query)
    limit = runtime.settings.max_upload_bytes + _FORM_EXTRA_BYTES
    body.refuse_over(limit)
    reader = FormReader(body.pieces(limit), boundary_of(environ.get("CONTENT_TYPE", "")))
    with runtime.door.admit_file(key), _FormFile(runtime, query, reader, key) as form_file:
        reader.read(form_file.take)
        return form_file.register()


def query_of(environ: Environ) -> dict[str, str]:
    """Give the query's parameters; of a repeated one the last."""
    return dict(parse_qsl(environ.get("QUERY_STRING", ""), errors="replace", max_num_fields=100))


def register_file(
    runtime: Runtime, slot: FileSlot, texts: Mapping[str, str], name: str | None, key: str | None
) -> Registered:
    """Commit the file and register its asset; the file stays only if it is the asset's."""
    fields = checked_file_fields(texts)
    source = slot.commit(name)
    event = slot.event(fields.owner_id, fields.duration_sec, source)
    registered = register(runtime, event, key=key, asset_id_given=fields.asset_id is not None, may_create=slot.stores)
    if registered.event.source is not None and registered.event.source.key == source.key:
        slot.keep()
    return registered


class _FormFile:
    """The form's file, whose fields may come before or after it."""

    def __init__(self, runtime: Runtime, query: Mapping[str, str], reader: FormReader, key: str | None) -> None:
        self._runtime = runtime
        self._query = query
        self._reader = reader
        self._key = key
        self._slot: FileSlot | None = None
        self._name: str | None = None
        self._asset_id: str | None = None

    def take(self, part: FilePart) -> None:
        require_media(part.content_type)
        fields = checked_file_fields({**self._query, **self._reader.fields})
        self._asset_id, self._name = fields.asset_id, part.file_name
        self._slot = FileSlot(self._runtime, fields.asset_id, self._key, part.content_type)
        self._slot.take(part.pieces)

    def register(self) -> Registered:
        assert self._slot is not None  # noqa: S101 - the reader has raised when there was no file
        texts = {**self._query, **self._reader.fields}
        if checked_file_fields(texts).asset_id != self._asset_id:
            raise Problem(
                INVALID, "The field assetId comes after the file: put it before the part 'file', or into the query."
            )
        return register_file(self._runtime, self._slot, texts, self._query.get("filename") or self._name, self._key)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._slot is not None:
            self._slot.__exit__(kind, error, trace)
