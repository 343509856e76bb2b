"""The storyboard: which moments it shows, where their pictures lie in the sheets, and its WebVTT text. Pure."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from media_common.picture_size import Size
from media_common.webvtt import Cue, render

#: Pictures closer together than this, in seconds, help nobody to find a place.
SHORTEST_STEP_S = 1.0
#: Preview pictures side by side, and sheets one below another: a sheet is at most 10 by 10.
COLUMNS = 10
SHEET_TILES = COLUMNS * COLUMNS
#: Name of a sheet, counted from 1.
SHEET_PATTERN = "sprite-%d.jpg"


@dataclass(frozen=True, slots=True)
class Storyboard:
    """`tiles` pictures of one `tile` size, a picture each `step_s` seconds, in sheets of columns × rows."""

    tiles: int
    step_s: float
    tile: Size

    @property
    def columns(self) -> int:
        """Pictures side by side in a sheet."""
        return min(self.tiles, COLUMNS)

    @property
    def rows(self) -> int:
        """Pictures one below another in a sheet."""
        return min(math.ceil(self.tiles / COLUMNS), COLUMNS)

    @property
    def sheets(self) -> int:
        """Sheets that hold all pictures."""
        return math.ceil(self.tiles / SHEET_TILES)


def plan_storyboard(duration_s: float, tile: Size, most_tiles: int) -> Storyboard:
    """Spread pictures evenly over the video, at least a second apart and never more than `most_tiles`.

    So the cost does not grow with the length: a long film has a longer step, not more pictures.
    """
    tiles = max(1, min(most_tiles, math.ceil(duration_s / SHORTEST_STEP_S)))
    return Storyboard(tiles, max(duration_s, 0.001) / tiles, tile)


def fit(width: int, height: int, longer_side: int) -> Size:
    """Scale a picture into a square of `longer_side`; never larger than it is, even sides, aspect kept."""
    return Size(width, height).scaled(min(1.0, longer_side / max(width, height)))


def is_sparse(moments: Sequence[float], duration_s: float, step_s: float, *, parts: int) -> bool:
    """Say whether pictures at these moments (seconds, rising) leave too much of the video unseen.

    That is more than one of so many equal parts of it, or in short videos more than one and a half steps.
    """
    gaps = [after - before for before, after in pairwise([*moments, duration_s])]
    return not gaps or max(gaps) > max(1.5 * step_s, duration_s / parts) + 0.1


def render_storyboard(plan: Storyboard, moments: Sequence[float], duration_s: float) -> str:
    """Write the WebVTT text for pictures that lie in the sheets in order, taken at `moments` (seconds, rising).

    A cue starts at the very moment its picture shows and ends where the next one starts.
    """
    spans = pairwise([0.0, *moments[1:], duration_s]) if moments else ()
    return render(Cue(start, end, _place(plan, number)) for number, (start, end) in enumerate(spans))


def _place(plan: Storyboard, number: int) -> str:
    sheet, tile = divmod(number, plan.columns * plan.rows)
    row, column = divmod(tile, plan.columns)
    x, y = column * plan.tile.width, row * plan.tile.height
    return f"{SHEET_PATTERN % (sheet + 1)}#xywh={x},{y},{plan.tile.width},{plan.tile.height}"
