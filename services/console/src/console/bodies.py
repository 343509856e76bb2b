"""JSON bodies of the admin API, read into models."""

from typing import TypeVar

from flask import request
from flask_babel import gettext as _
from pydantic import BaseModel, ValidationError

from console.problems import INVALID, MALFORMED, NOT_JSON, Problem

#: A list of a thousand event ids, and room.
MAX_BODY_BYTES = 256 * 1024

M = TypeVar("M", bound=BaseModel)


def read_body(model: type[M]) -> M:
    """Read the request's JSON object; an empty body is an empty object.

    Raises Problem: 415 for another content type, 413, 400 for what is not JSON, 422 that names the fields.
    """
    if request.mimetype != "application/json":
        raise Problem(NOT_JSON, _("Send the header Content-Type: application/json."))
    request.max_content_length = MAX_BODY_BYTES
    body = request.get_data(cache=False) or b"{}"
    try:
        return model.model_validate_json(body)
    except ValidationError as error:
        found = error.errors(include_url=False, include_context=False, include_input=False)
    if any(each["type"] == "json_invalid" for each in found):
        raise Problem(MALFORMED, _("The body is not JSON: %(error)s.", error=found[0]["msg"]))
    fields = [{"field": ".".join(map(str, each["loc"])), "message": each["msg"]} for each in found]
    said = "; ".join(f"{each['field']}: {each['message']}" for each in fields)
    raise Problem(INVALID, said, {"fields": fields})
