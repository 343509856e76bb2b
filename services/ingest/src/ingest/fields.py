"""Turning what a client sent into checked values, or into Problem 422 that names each wrong field."""

from collections.abc import Mapping
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from ingest.models import FileFields
from ingest.problems import INVALID, Problem

M = TypeVar("M", bound=BaseModel)

#: Names of FileFields as clients write them.
FILE_FIELDS = ("assetId", "ownerId", "durationSec")


def checked(model: type[M], values: Mapping[str, Any]) -> M:
    """Validate parsed JSON against a model. Raises Problem 422 with one entry of ``errors`` per wrong field."""
    try:
        return model.model_validate(values)
    except ValidationError as error:
        found = [
            {"field": ".".join(str(part) for part in item["loc"]), "detail": item["msg"]}
            for item in error.errors(include_url=False, include_context=False, include_input=False)
        ]
        said = "; ".join(f"{item['field']}: {item['detail']}" for item in found)
        raise Problem(INVALID, f"{said}.", {"errors": found}) from None


def checked_file_fields(texts: Mapping[str, str]) -> FileFields:
    """Validate what a query or a form says about a file: there, every value is text."""
    values: dict[str, Any] = {name: texts[name] for name in FILE_FIELDS if texts.get(name)}
    if "durationSec" in values:
        try:
            values["durationSec"] = float(values["durationSec"])
        except ValueError:
            detail = "Input should be a number of seconds"
            raise Problem(
                INVALID, f"durationSec: {detail}.", {"errors": [{"field": "durationSec", "detail": detail}]}
            ) from None
    return checked(FileFields, values)
