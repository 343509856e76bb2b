"""Subtitle files as ffmpeg writes them, SubRip and ASS, to cues. Pure."""

import re
from collections.abc import Iterable

from media_common.webvtt import Cue
from subtitle.markup import from_ass, from_subrip

#: How long a cue is shown whose end the source does not know, seconds; the next one ends it sooner.
UNKNOWN_END_S = 3.0

_SRT_TIMING = re.compile(r"(-?)(\d+):(\d\d):(\d\d),(\d{3}) --> (-?)(\d+):(\d\d):(\d\d),(\d{3})")
_ASS_TIME = re.compile(r"(-?)(\d+):(\d\d):(\d\d)\.(\d\d)")
#: Fields of a "Dialogue:" line: layer, start, end, style, name, three margins, effect, text.
_ASS_FIELDS, _ASS_START, _ASS_END = 10, 1, 2


def parse_subrip(text: str) -> list[Cue]:
    """Read SubRip text; times as they stand there, also negative ones."""
    lines = text.lstrip("\ufeff").splitlines()
    places = [(at, timing) for at, line in enumerate(lines) if (timing := _SRT_TIMING.fullmatch(line.strip()))]
    cues = []
    for place, (at, timing) in enumerate(places):
        # The line before the next timing is its number.
        until = places[place + 1][0] - 1 if place + 1 < len(places) else len(lines)
        body = from_subrip("\n".join(lines[at + 1 : max(at + 1, until)]))
        values = timing.groups()
        cues.append(Cue(_seconds(values[:5], 1000), _seconds(values[5:], 1000), body))
    return cues


def parse_ass(text: str) -> list[Cue]:
    """Read the events of an ASS script; comments and drawings are left out."""
    cues = []
    for line in text.split("\n"):
        kind, _, rest = line.partition(":")
        fields = rest.strip().split(",", _ASS_FIELDS - 1)
        if kind.strip() != "Dialogue" or len(fields) < _ASS_FIELDS:
            continue
        start, end = (_ASS_TIME.fullmatch(fields[at].strip()) for at in (_ASS_START, _ASS_END))
        if start and end:
            cues.append(Cue(_seconds(start.groups(), 100), _seconds(end.groups(), 100), from_ass(fields[-1])))
    return cues


def tidied(cues: Iterable[Cue], *, start_s: float = 0.0) -> list[Cue]:
    """Bring cues in order: times relative to start_s, ends after starts, nothing before 0, nothing empty.

    Overlaps of the source stay, since two speakers may be shown at once; none is added. One text in
    touching or overlapping cues (ASS layers, karaoke frames) becomes one cue.
    """
    moved = [Cue(cue.start_s - start_s, cue.end_s - start_s, cue.text) for cue in cues if cue.text]
    ordered = sorted(moved, key=lambda cue: (cue.start_s, cue.end_s))
    ended = [_ended(cue, ordered[at + 1 : at + 2]) for at, cue in enumerate(ordered)]
    shown = (Cue(max(0.0, cue.start_s), cue.end_s, cue.text) for cue in ended if cue.end_s > 0)
    return _merged(shown)


def _ended(cue: Cue, following: list[Cue]) -> Cue:
    if cue.end_s > cue.start_s:
        return cue
    until = following[0].start_s if following and following[0].start_s > cue.start_s else float("inf")
    return Cue(cue.start_s, min(cue.start_s + UNKNOWN_END_S, until), cue.text)


def _merged(cues: Iterable[Cue]) -> list[Cue]:
    merged: list[Cue] = []
    last: dict[str, int] = {}
    for cue in cues:
        at = last.get(cue.text)
        if at is not None and cue.start_s <= merged[at].end_s:
            merged[at] = Cue(merged[at].start_s, max(merged[at].end_s, cue.end_s), cue.text)
            continue
        last[cue.text] = len(merged)
        merged.append(cue)
    return merged


def _seconds(parts: tuple[str, ...], per_second: int) -> float:
    sign, hours, minutes, seconds, fraction = parts
    value = int(hours) * 3600 + int(minutes) * 60 + int(seconds) + int(fraction) / per_second
    return -value if sign else value
