"""The transcode job against the best ffmpeg command that we could write by hand for the same outputs."""

import statistics
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

from mediaflow_bench.clips import picture_clip
from mediaflow_bench.media_jobs import Cost, JobProcess, cost_of, job_process
from mediaflow_bench.row import Row, at_most, compared, interleaved
from mediaflow_bench.workplace import Workplace

#: Name, size, CRF, largest rate and buffer in kbit/s: what the service's ladder gives, written out once more.
RENDITIONS = {
    1080: ("1080p", "1920:1080", 22, 5000, 10000),
    720: ("720p", "1280:720", 22, 2800, 5600),
    480: ("480p", "854:480", 23, 1400, 2800),
    360: ("360p", "640:360", 23, 800, 1600),
}


def measure(workplace: Workplace) -> Iterator[Row]:
    """Measure a 720p clip, and unless it has to be quick a 1080p one."""
    seconds = workplace.pick(40, 10)
    with job_process(workplace, "transcode") as job:
        job.run(picture_clip(360, 2))  # the first job of a process pays for imports
        for lines in workplace.pick((720, 1080), (720,)):
            yield from _measure_clip(workplace, job, lines, seconds)


def _measure_clip(workplace: Workplace, job: JobProcess, lines: int, seconds: int) -> Iterator[Row]:
    clip = picture_clip(lines, seconds)
    folder = workplace.folder / "by-hand"
    command = command_by_hand(clip, lines)
    folder.mkdir(exist_ok=True)
    ours, peer = interleaved(workplace.pick(3, 1), partial(job.run, clip), lambda: cost_of([command], folder))
    sizes = f"{_bytes(job.outputs(ours[-1], 'transcode')) / 1e6:.1f} MB against {_bytes(folder) / 1e6:.1f} MB made"
    name = f"transcode, {seconds} s of {lines}p"
    yield compared(
        f"{name}: time against ffmpeg by hand", "s", _each(ours, "wall_s"), _each(peer, "wall_s"), at_most(1.05), sizes
    )
    yield compared(f"{name}: CPU", "CPU s", _each(ours, "cpu_s"), _each(peer, "cpu_s"), at_most(1.05))
    peaks = [statistics.median(_each(side, "peak_mb")) for side in (ours, peer)]
    yield Row(f"{name}: largest child's memory", "MB", *peaks)


def command_by_hand(clip: Path, lines: int) -> list[str]:
    """Write one run for the whole ladder: one decode, one audio track for all, fMP4 segments of 6 s, one playlist."""
    ladder = [rendition for height, rendition in RENDITIONS.items() if height <= lines]
    outputs = "".join(f"[s{number}]" for number in range(1, len(ladder)))
    graph = [f"[0:v:0]split={len(ladder)}[v0]{outputs}"]
    encoders: list[str] = []
    for number, (_, size, crf, rate, buffer) in enumerate(ladder):
        if number > 0:
            graph.append(f"[s{number}]scale={size}[v{number}]")
        encoders += ["-map", f"[v{number}]", f"-crf:v:{number}", str(crf)]
        encoders += [f"-maxrate:v:{number}", f"{rate}k", f"-bufsize:v:{number}", f"{buffer}k"]
    variants = [f"v:{number},agroup:audio,name:{name}" for number, (name, *_) in enumerate(ladder)]
    return [
        *("ffmpeg", "-v", "error", "-nostdin", "-y", "-i", str(clip), "-filter_complex", ";".join(graph)),
        *(*encoders, "-c:v", "libx264", "-preset", "veryfast", "-profile:v", "high", "-pix_fmt", "yuv420p"),
        *("-g", "180", "-keyint_min", "180", "-sc_threshold", "0"),
        *("-map", "0:a:0", "-c:a", "aac", "-ac", "1", "-ar", "48000", "-b:a", "64k"),
        *("-f", "hls", "-hls_time", "6", "-hls_playlist_type", "vod", "-hls_flags", "independent_segments"),
        *("-hls_segment_type", "fmp4", "-master_pl_name", "master.m3u8"),
        *("-var_stream_map", " ".join([*variants, "a:0,agroup:audio,name:audio"])),
        *("-hls_segment_filename", "%v/seg-%05d.m4s", "%v/index.m3u8"),
    ]


def _each(costs: Sequence[Cost], name: str) -> list[float]:
    return [getattr(cost, name) for cost in costs]


def _bytes(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*.m4s"))
