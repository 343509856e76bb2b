"""Which renditions a picture gets, and how each is encoded. Pure."""

from dataclasses import dataclass

from media_common.picture_size import Size


@dataclass(frozen=True, slots=True)
class Rung:
    """One step of the ladder: a 16:9 box of lines, and the encoder's settings in it (rates in kbit/s)."""

    lines: int
    crf: int
    max_rate: int
    buffer: int

    @property
    def long_side(self) -> float:
        """The box's other side, in pixels."""
        return self.lines * 16 / 9


#: Every encoder setting that differs between renditions, best first. x264 "veryfast" at these qualities gives the
#: least bits for its CPU time; max_rate only cuts peaks, so a quiet picture stays far below it.
LADDER = (
    Rung(lines=1080, crf=22, max_rate=5000, buffer=10000),
    Rung(lines=720, crf=22, max_rate=2800, buffer=5600),
    Rung(lines=480, crf=23, max_rate=1400, buffer=2800),
    Rung(lines=360, crf=23, max_rate=800, buffer=1600),
)


@dataclass(frozen=True, slots=True)
class Rendition:
    """One picture size to make: its folder's name, its size in square pixels, its encoder's settings."""

    name: str
    size: Size
    rung: Rung


def choose_ladder(picture: Size) -> tuple[Rendition, ...]:
    """Choose the renditions of an upright picture of square pixels, best first; always at least one.

    A rung is a 16:9 box, turned for portraits; the picture is made to fit in and is never enlarged. So a film of
    1920×800 still gets its 1080p, at its own size. A picture smaller than all boxes gets one rendition of its own
    size. Sides are even, as 4:2:0 needs, and the aspect is kept to the pixel.
    """
    short, long = sorted((picture.width, picture.height))
    fitting = [rung for rung in LADDER if short >= rung.lines or long >= rung.long_side]
    if not fitting:
        own = picture.scaled(1.0)
        return (Rendition(f"{min(own.width, own.height)}p", own, LADDER[-1]),)
    scales = [min(1.0, rung.lines / short, rung.long_side / long) for rung in fitting]
    return tuple(
        Rendition(f"{rung.lines}p", picture.scaled(scale), rung) for rung, scale in zip(fitting, scales, strict=True)
    )
