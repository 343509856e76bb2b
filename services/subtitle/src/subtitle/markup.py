"""Subtitle text to WebVTT text: bold, italic and underline stay, everything else is text or gone. Pure."""

import re
from collections.abc import Iterable

from media_common.webvtt import escape

#: What may stand in a cue.
KEPT_TAGS = frozenset("biu")
#: Tags of SubRip and of WebVTT that carry no text of their own: gone. Any other "<…>" is text.
_DROPPED_TAGS = frozenset({"font", "s", "strike", "c", "v", "lang", "ruby", "rt", "span", "p", "br", "em", "strong"})

_TAG = re.compile(r"</?\s*([a-z]+)\b[^<>\n]*>", re.IGNORECASE)
#: "{\an8}", "{\i1\b0}": also what SubRip files borrow from ASS.
_OVERRIDES = re.compile(r"\{\\[^{}\n]*\}")
_ASS_BLOCK = re.compile(r"\{[^{}\n]*\}")
_ASS_SWITCH = re.compile(r"\\([biu])(\d+)(?![a-z0-9])")
_ASS_DRAWING = re.compile(r"\\p(\d+)")
#: Control characters have no picture; the format forbids NUL.
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ufeff\u2028\u2029]")

#: A piece of text, or the switch of a tag: ("i", True) opens, ("i", False) closes.
Piece = str | tuple[str, bool]


def from_subrip(text: str) -> str:
    """Turn SubRip text, which borrows HTML's tags, into WebVTT text."""
    return _written(_subrip_pieces(_OVERRIDES.sub("", text)))


def from_ass(text: str) -> str:
    """Turn the text of an ASS event into WebVTT text; drawings vanish."""
    return _written(_ass_pieces(text))


def _subrip_pieces(text: str) -> Iterable[Piece]:
    at = 0
    for tag in _TAG.finditer(text):
        name = tag[1].lower()
        if name in KEPT_TAGS or name in _DROPPED_TAGS:
            yield text[at : tag.start()]
            at = tag.end()
            if name in KEPT_TAGS:
                yield name, not tag[0].startswith("</")
    yield text[at:]


def _ass_pieces(text: str) -> Iterable[Piece]:
    at, drawing = 0, False
    for block in _ASS_BLOCK.finditer(text):
        if not drawing:
            yield _ass_text(text[at : block.start()])
        at = block.end()
        for tag, level in _ASS_SWITCH.findall(block[0]):
            yield tag, level != "0"
        for scale in _ASS_DRAWING.findall(block[0]):
            drawing = scale.strip("0") != ""
    if not drawing:
        yield _ass_text(text[at:])


def _ass_text(text: str) -> str:
    return text.replace(r"\N", "\n").replace(r"\n", " ").replace(r"\h", " ")


def _written(pieces: Iterable[Piece]) -> str:
    """Write pieces with tags that nest and are all closed, also where the source's were not."""
    written: list[str] = []
    open_tags: list[str] = []
    for piece in pieces:
        if isinstance(piece, str):
            written.append(escape(_CONTROL.sub("", piece.replace("\r\n", "\n").replace("\r", "\n"))))
            continue
        tag, opens = piece
        if opens and tag not in open_tags:
            open_tags.append(tag)
            written.append(f"<{tag}>")
        elif not opens and tag in open_tags:
            inner = open_tags[open_tags.index(tag) + 1 :]
            written += [f"</{each}>" for each in reversed([tag, *inner])]
            written += [f"<{each}>" for each in inner]
            open_tags.remove(tag)
    written += [f"</{tag}>" for tag in reversed(open_tags)]
    return _tidy("".join(written))


def _tidy(text: str) -> str:
    # A pair of tags around nothing may leave another such pair around nothing.
    emptied = re.compile(r"<([biu])>(\s*)</\1>")
    while emptied.search(text):
        text = emptied.sub(r"\2", text)
    lines = (" ".join(line.split()) for line in text.split("\n"))
    return "\n".join(line for line in lines if line)
