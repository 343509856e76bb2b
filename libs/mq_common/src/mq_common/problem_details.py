"""Errors as RFC 9457 problem details: what is wrong, and what whoever asked can do about it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import orjson

CONTENT_TYPE = "application/problem+json"

#: Problem types are names, not addresses: they stay the same wherever the service runs.
TYPE_PREFIX = "urn:mediaflow:problem:"


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of problem: the last part of its type, its HTTP status, its title and when to try again (seconds).

    Titles and details are text, or what becomes text in the language of who asks; types are the same for all.
    """

    slug: str
    status: int
    title: object
    retry_after_s: int | None = None


@dataclass(eq=False)
class Problem(Exception):
    """A request that ends here. ``detail`` says what to do; ``members`` are the problem's own extra members."""

    kind: Kind
    detail: object
    members: Mapping[str, Any] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)

    def response_headers(self) -> dict[str, str]:
        """Give the answer's headers besides its content type."""
        headers = dict(self.headers)
        if self.kind.retry_after_s is not None:
            headers.setdefault("Retry-After", str(self.kind.retry_after_s))
        headers["Cache-Control"] = "no-store"
        return headers

    def body(self, instance: str) -> bytes:
        """Give the JSON body; ``instance`` is the path that was asked for."""
        return render(self.kind, self.detail, instance, self.members)


def render(kind: Kind, detail: object, instance: str, members: Mapping[str, Any] | None = None) -> bytes:
    """Write a problem as JSON."""
    problem: dict[str, Any] = {
        "type": TYPE_PREFIX + kind.slug,
        "title": str(kind.title),
        "status": kind.status,
        "detail": str(detail),
        "instance": instance,
    }
    problem.update(members or {})
    return orjson.dumps(problem)
