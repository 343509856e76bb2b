"""One readable line out of a pydantic error."""

from pydantic import ValidationError


def first_error(error: ValidationError) -> str:
    """Say the first thing that is wrong, with the field's name, without echoing the input."""
    first = error.errors(include_url=False, include_input=False, include_context=False)[0]
    where = ".".join(str(part) for part in first["loc"])
    return f"{where}: {first['msg']}" if where else str(first["msg"])
