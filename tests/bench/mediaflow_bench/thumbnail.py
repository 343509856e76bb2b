"""The thumbnail job against ffmpeg alone for the same pictures, and a film of two hours against a short clip."""

import re
import statistics
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from mediaflow_bench.clips import long_clip, picture_clip
from mediaflow_bench.media_jobs import Cost, JobProcess, cost_of, job_process
from mediaflow_bench.row import Row, at_most, compared, interleaved
from mediaflow_bench.workplace import Workplace

_FFMPEG = ("ffmpeg", "-v", "error", "-nostdin", "-y")
_LAID_OUT = (
    *("-map", "[sheet]", "-fps_mode", "passthrough", "-frames:v", "1", "-q:v", "5", "-update", "1", "sprite-1.jpg"),
    *("-map", "[poster]", "-fps_mode", "passthrough", "-frames:v", "1", "-q:v", "3", "-update", "1", "poster.jpg"),
)
_CUE = re.compile(r"^(\d+):(\d\d):(\d\d\.\d{3}) --> ", re.MULTILINE)

#: Writes the commands that make the pictures of a clip at these moments, in seconds.
ByHand = Callable[[Path, Sequence[float]], list[list[str]]]

SHORT_MIN, LONG_MIN = 2, 120
#: Frames between key frames at 30 frames a second: a phone's, and x264's default.
INTERVALS = {30: "a key frame each second", 250: "x264's default key frames"}


def measure_seeks(workplace: Workplace) -> Iterator[Row]:
    """Measure against the best ffmpeg run for the same pictures, and against a run for each of them.

    Where key frames are close together that is one run with a seek for each picture, where they are not one that
    decodes the clip once.
    """
    folder = workplace.folder / "by-hand"
    folder.mkdir(exist_ok=True)

    def against(clip: Path, described: str, by_hand: ByHand, times: int) -> Row:
        moments = moments_of(job, job.run(clip))
        peers = partial(cost_of, by_hand(clip, moments), folder)
        return _row(described.format(len(moments)), *interleaved(times, partial(job.run, clip), peers))

    with _warm_job(workplace) as job:
        times, few = workplace.pick(5, 2), workplace.pick(2, 1)
        near, far, film = long_clip(SHORT_MIN, 30), long_clip(SHORT_MIN, 250), long_clip(LONG_MIN, 250)
        short = f"thumbnail, {SHORT_MIN} min"
        yield against(near, short + ", a key frame each second: against one ffmpeg run with {} seeks", one_run, times)
        yield against(film, f"thumbnail, {LONG_MIN} min: against one ffmpeg run with {{}} seeks", one_run, times)
        yield against(far, short + ": against one ffmpeg run that decodes it for {} pictures", one_decode, times)
        yield against(far, short + ": against an ffmpeg run for each of {} exact seeks", many_runs, few)


def measure_length(workplace: Workplace) -> Iterator[Row]:
    """Measure what two hours cost more than two minutes."""
    with _warm_job(workplace) as job:
        for interval, described in INTERVALS.items():
            long, short = interleaved(
                workplace.pick(7, 2),
                partial(job.run, long_clip(LONG_MIN, interval)),
                partial(job.run, long_clip(SHORT_MIN, interval)),
            )
            tiles = [side[0].result["details"]["storyboard"]["tiles"] for side in (long, short)]
            name = f"thumbnail, {described}: {LONG_MIN} min (ours) against {SHORT_MIN} min (peer)"
            yield _row(name, long, short, 1.5, f"{tiles[0]} against {tiles[1]} pictures")


def one_decode(clip: Path, moments: Sequence[float]) -> list[list[str]]:
    """Write one ffmpeg run that takes pictures at an even pace, without the frames that no other frame needs."""
    pace_s = moments[-1] / max(1, len(moments) - 1)
    rows = min(10, -(-len(moments) // 10))
    after = f"gte(t,{moments[len(moments) // 10] - 0.001:.3f})*lt(selected_n,10)"
    graph = (
        f"[0:v:0]select='gte(t,selected_n*{pace_s:.6f})',split[a][b];"
        f"[a]scale=160:90,tile=10x{rows},format=yuvj420p[sheet];[b]select='{after}',thumbnail=10,format=yuvj420p[poster]"
    )
    opened = ("-skip_frame", "noref", "-an", "-i", str(clip))
    return [[*_FFMPEG, *opened, "-filter_complex", graph, *_LAID_OUT]]


def one_run(clip: Path, moments: Sequence[float]) -> list[list[str]]:
    """Write one ffmpeg run that opens the file once for each picture, at the key frame before its moment.

    Of the pictures after a tenth of the film the first ten are candidates for the poster.
    """
    count = len(moments)
    inputs = [word for moment in moments for word in _seek(clip, moment)]
    first = count // 10
    candidates = range(first, min(count, first + 10))
    graph = []
    for number in range(count):
        one = f"[{number}:v:0]trim=end_frame=1,setpts={number}"
        if number in candidates:
            graph.append(f"{one},split[a{number}][p{number}];[a{number}]scale=160:90[t{number}]")
        else:
            graph.append(f"{one},scale=160:90[t{number}]")
    tiles = "".join(f"[t{number}]" for number in range(count))
    posters = "".join(f"[p{number}]" for number in candidates)
    rows = min(10, -(-count // 10))
    graph.append(f"{tiles}concat=n={count},tile=10x{rows},format=yuvj420p[sheet]")
    graph.append(f"{posters}concat=n={len(candidates)},thumbnail={len(candidates)},format=yuvj420p[poster]")
    return [[*_FFMPEG, *inputs, "-filter_complex", ";".join(graph), *_LAID_OUT]]


def many_runs(clip: Path, moments: Sequence[float]) -> list[list[str]]:
    """Write what is usually done: a run for each tile, one that lays them out, one for the poster."""
    runs = [
        [
            *(*_FFMPEG, "-ss", f"{max(0.0, moment - 0.001):.3f}", "-threads", "1", "-an", "-i", str(clip)),
            *("-frames:v", "1", "-vf", "scale=160:90", f"tile-{number:03}.bmp"),
        ]
        for number, moment in enumerate(moments)
    ]
    sheet = ["-vf", f"tile=10x{min(10, -(-len(moments) // 10))}", "-frames:v", "1", "-q:v", "5", "-update", "1"]
    runs.append([*_FFMPEG, "-i", "tile-%03d.bmp", *sheet, "sprite-1.jpg"])
    at_s = moments[len(moments) // 10]
    best = ["-vf", "thumbnail=100,format=yuvj420p", "-frames:v", "1", "-q:v", "3", "-update", "1", "poster.jpg"]
    runs.append([*_FFMPEG, "-ss", f"{at_s:.3f}", "-i", str(clip), *best])
    return runs


def moments_of(job: JobProcess, cost: Cost) -> list[float]:
    """Read off a storyboard where in the film its pictures were taken, in seconds."""
    text = (job.outputs(cost, "thumbnail") / "storyboard.vtt").read_text()
    return [int(hours) * 3600 + int(minutes) * 60 + float(seconds) for hours, minutes, seconds in _CUE.findall(text)]


def _seek(clip: Path, moment: float) -> tuple[str, ...]:
    # A little after the key frame, so that rounding never finds the one before. One thread starts faster than two.
    return ("-noaccurate_seek", "-ss", f"{moment + 0.01:.3f}", "-threads", "1", "-an", "-i", str(clip))


@contextmanager
def _warm_job(workplace: Workplace) -> Iterator[JobProcess]:
    """Start a job process and run one job: the first pays for imports."""
    with job_process(workplace, "thumbnail") as job:
        job.run(picture_clip(360, 2))
        yield job


def _row(name: str, ours: list[Cost], peer: list[Cost], limit: float = 1.15, note: str = "") -> Row:
    cpu = f"CPU {_cpu(ours):.2f} s against {_cpu(peer):.2f} s"
    walls = [[cost.wall_s for cost in side] for side in (ours, peer)]
    return compared(name, "s", *walls, at_most(limit), f"{cpu}; {note}" if note else cpu)


def _cpu(costs: list[Cost]) -> float:
    return statistics.median(cost.cpu_s for cost in costs)
