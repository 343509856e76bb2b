"""Words to cues: two lines of 42 columns, at most six seconds, broken where a reader would break. Pure.

The limits are the ones broadcasters and streaming services agree on (BBC, Netflix timed text guides).
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from media_common.webvtt import Cue, escape
from subtitle.recognise import Word
from subtitle.wrapping import joined, may_break, split_wide, wrapped

MAX_CUE_S = 6.0
#: Shorter cues flash by; they are held as long as the next one allows.
MIN_CUE_S = 0.7
#: Silence after which a new cue begins.
PAUSE_S = 0.8
#: Comfortable reading: a cue is held this long for its text where there is room.
CHARACTERS_PER_SECOND = 20.0

#: A recogniser may give several words one and the same time.
_MIN_WORD_S = 0.02
_SENTENCE_ENDS = (".", "?", "!", "…", "。", "？", "！", "؟", "।")
_CLOSING = "\"'”’»)]"
_ABBREVIATIONS = frozenset({"mr.", "mrs.", "ms.", "dr.", "prof.", "st.", "jr.", "sr.", "vs.", "no.", "e.g.", "i.e."})
_CLAUSE_ENDS = (",", ";", ":", "–", "—", "、", "，")

# What a cue of several words costs when the best division of a long sentence is looked for.
_EACH_CUE = 1.0
_ORPHAN = 1.5
_NO_CLAUSE = 0.35
_SHORT_LAST_WORD = 0.2
_SLACK = 0.8


def build_cues(words: Iterable[Word]) -> list[Cue]:
    """Make cues of recognised words. Every word appears once, in order; cues do not overlap."""
    groups = [group for phrase in _phrases(_ordered(words)) for group in _divided(phrase)]
    groups = _without_flashes(groups)
    return [_cue(group, groups[at + 1] if at + 1 < len(groups) else None) for at, group in enumerate(groups)]


def _ordered(words: Iterable[Word]) -> list[Word]:
    """Clean texts; starts that rise, ends that do not reach into the next word."""
    ordered: list[Word] = []
    for word in words:
        text = " ".join(word.text.split())
        if not text:
            continue
        start = max(0.0, word.start_s)
        if ordered:
            before = ordered[-1]
            start = max(start, before.start_s + _MIN_WORD_S)
            ordered[-1] = replace(before, end_s=min(before.end_s, start))
        end = min(max(word.end_s, start + _MIN_WORD_S), start + MAX_CUE_S)
        ordered += split_wide(Word(text, start, end, word.glued))
    return ordered


def _phrases(words: Sequence[Word]) -> list[list[Word]]:
    phrases: list[list[Word]] = []
    for word in words:
        before = phrases[-1][-1] if phrases else None
        if before is None or _ends_sentence(before) or word.start_s - before.end_s > PAUSE_S:
            phrases.append([])
        phrases[-1].append(word)
    return phrases


def _ends_sentence(word: Word) -> bool:
    text = word.text.rstrip(_CLOSING)
    initial = len(text) == 2 and text[0].isupper() and text != "I."
    return text.endswith(_SENTENCE_ENDS) and text.lower() not in _ABBREVIATIONS and not initial


def _divided(phrase: Sequence[Word]) -> list[list[Word]]:
    """Divide a phrase into the cheapest row of cues that keep the limits."""
    best: list[tuple[float, int]] = [(0.0, 0)]  # for each length: its cost, and where its last cue begins
    for end in range(1, len(phrase) + 1):
        options = []
        for start in range(end - 1, -1, -1):
            cost = _cost(phrase, start, end)
            if cost is None:
                break
            options.append((best[start][0] + cost, start))
        best.append(min(options))
    groups, end = [], len(phrase)
    while end:
        start = best[end][1]
        groups.append(list(phrase[start:end]))
        end = start
    return groups[::-1]


def _cost(phrase: Sequence[Word], start: int, end: int) -> float | None:
    words = phrase[start:end]
    if len(words) > 1 and not _fits(words):
        return None
    text = joined(words)
    cost = _EACH_CUE + _SLACK * (1 - min(1.0, len(text) / 84)) ** 2
    if len(words) == 1 and len(phrase) > 1:
        cost += _ORPHAN
    if end < len(phrase):
        last = words[-1]
        if not may_break(last, phrase[end]):
            cost += 10 * _EACH_CUE
        if not last.text.endswith(_CLAUSE_ENDS):
            cost += _NO_CLAUSE * (1 - min(1.0, (phrase[end].start_s - last.end_s) / PAUSE_S))
            cost += _SHORT_LAST_WORD if len(last.text) <= 3 else 0.0
    return cost


def _fits(words: Sequence[Word]) -> bool:
    return words[-1].end_s - words[0].start_s <= MAX_CUE_S and wrapped(words) is not None


def _without_flashes(groups: Sequence[list[Word]]) -> list[list[Word]]:
    """Join a group that could not be shown long enough with a neighbour, where both fit in one cue."""
    kept: list[list[Word]] = []
    for at, group in enumerate(groups):
        before = kept[-1] if kept else None
        if before and _joinable(before, group):
            following = groups[at + 1][0].start_s if at + 1 < len(groups) else None
            if _flashes(before, group[0].start_s) or _flashes(group, following):
                kept[-1] = [*before, *group]
                continue
        kept.append(group)
    return kept


def _joinable(before: Sequence[Word], after: Sequence[Word]) -> bool:
    return after[0].start_s - before[-1].end_s <= PAUSE_S and _fits([*before, *after])


def _flashes(group: Sequence[Word], following_s: float | None) -> bool:
    return following_s is not None and following_s - group[0].start_s < MIN_CUE_S


def _cue(group: Sequence[Word], following: Sequence[Word] | None) -> Cue:
    lines = wrapped(group) or (joined(group),)
    start, end = group[0].start_s, group[-1].end_s
    held = start + max(MIN_CUE_S, sum(map(len, lines)) / CHARACTERS_PER_SECOND)
    end = min(max(end, held), start + MAX_CUE_S)
    if following:
        end = min(end, following[0].start_s)
    return Cue(start, end, "\n".join(map(escape, lines)))
