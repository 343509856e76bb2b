"""Language codes as containers write them (ISO 639-2) to what players and browsers read (BCP 47)."""

import re
from functools import cache
from importlib.resources import files

#: Codes that say "not known", "several", "none", "not coded"; "unk" is no code but is written for the first.
_NO_LANGUAGE = frozenset({"und", "mul", "zxx", "mis", "unk"})
_TAG = re.compile(r"[a-z]{2,3}(-[a-z0-9]{2,8}){0,4}", re.IGNORECASE)


def language_tag(code: str | None) -> str | None:
    """Give the BCP 47 tag for a container's code: "eng" and "en" are "en", "fre" is "fr", "por-br" is "pt-BR".

    None for a code that names no language ("und") or is none.
    """
    plain = (code or "").strip().replace("_", "-")
    named = _by_name().get(plain.lower())
    if named:
        return named
    if not _TAG.fullmatch(plain):
        return None
    primary, *rest = plain.lower().split("-")
    if primary in _NO_LANGUAGE or (len(primary) == 2 and primary not in _names()):
        return None
    return "-".join([_by_code().get(primary, primary), *map(_cased, rest)])


def language_name(tag: str) -> str:
    """Give the English name of a tag: "Portuguese (BR)". A code without a known name stands for itself."""
    primary, *rest = tag.split("-")
    name = _names().get(primary, primary)
    return f"{name} ({'-'.join(rest)})" if rest else name


def _cased(subtag: str) -> str:
    # The usual way to write regions (BR) and scripts (Hans); RFC 5646, section 2.1.1.
    return {2: subtag.upper(), 4: subtag.title()}.get(len(subtag), subtag)


@cache
def _table() -> tuple[tuple[str, tuple[str, ...], str], ...]:
    rows = files("media_common").joinpath("languages.tsv").read_text("utf-8").splitlines()
    parts = (row.split("\t") for row in rows)
    return tuple((tag, tuple(codes.split(",")), name) for tag, codes, name in parts)


@cache
def _by_code() -> dict[str, str]:
    return {code: tag for tag, codes, _ in _table() for code in codes}


@cache
def _names() -> dict[str, str]:
    return {tag: name for tag, _, name in _table()}


@cache
def _by_name() -> dict[str, str]:
    return {name.lower(): tag for tag, name in _names().items()}
