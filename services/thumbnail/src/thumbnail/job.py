"""The channel's own work: poster, sheets and storyboard."""

import json
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from media_common.child import run_child
from media_common.errors import BadMedia, ToolFailed
from media_common.job import Task
from media_common.media_info import VideoStream
from media_common.picture_size import Size
from media_common.task_ffmpeg import run_for
from thumbnail.arguments import (
    POSTER,
    KeyFrames,
    Pictures,
    WholeVideo,
    cover_arguments,
    one_picture_arguments,
    picture_arguments,
)
from thumbnail.filters import PICTURE_LOG
from thumbnail.pictures import Picture, in_order, liveliest, read_pictures
from thumbnail.storyboard import Storyboard, fit, is_sparse, plan_storyboard, render_storyboard

STORYBOARD = "storyboard.vtt"
#: Work file, removed at the end.
KEY_FRAMES = "key-frames.nut"
#: Pixels that may be decoded where key frames are too far apart: ten minutes of 720p30, about half a minute of CPU.
DECODE_BUDGET = 1280 * 720 * 30 * 600
#: The part of it that finer pictures are worth: two minutes of 1080p30 are within it.
FINER = 0.5
#: A gap between key frames is too wide when it is more than this part of the video: of a seek bar 800 pixels wide,
#: 27 pixels where finer pictures are cheap, 80 where they are not.
FINE_PARTS, COARSE_PARTS = 30, 10


@dataclass(frozen=True, slots=True)
class Thumbnail:
    """Makes the pictures of one file. Sizes in pixels."""

    tiles: int
    tile_px: int
    poster_px: int
    threads: int

    def __call__(self, task: Task) -> Mapping[str, object]:
        """Leave poster, sheets and storyboard in the task's outputs and describe them.

        Sound alone has an empty storyboard, and a poster only where it brings cover art. Raises BadMedia when no
        picture can be decoded.
        """
        if task.info.video is None:
            return self._cover(task)
        return self._pictures(task, task.info.video)

    def _pictures(self, task: Task, video: VideoStream) -> Mapping[str, object]:
        poster = fit(video.width, video.height, self.poster_px)
        for source, board in self._sources(task, video):
            pictures = self._take(task, video, source, board, poster)
            if in_order(pictures, board.tiles):
                break
        if not (task.outputs / POSTER).exists():
            at_s = liveliest(pictures)
            run_for(task, one_picture_arguments(source, video, poster, at_s=at_s, threads=self.threads))
        (task.outputs / KEY_FRAMES).unlink(missing_ok=True)
        if not (task.outputs / POSTER).exists():
            raise BadMedia("no picture of the video could be decoded")
        moments = sorted(picture.moment_s for picture in pictures)
        (task.outputs / STORYBOARD).write_text(render_storyboard(board, moments, task.info.duration_s))
        return _details(poster, board, len(moments))

    def _sources(self, task: Task, video: VideoStream) -> Iterator[tuple[Pictures, Storyboard]]:
        """Give where the pictures may come from, cheapest first; the next one is tried when one disappoints.

        Key frames alone where they are close enough together, or where decoding the video would take too long.
        """
        duration = task.info.duration_s
        most = min(self.tiles, video.frames or self.tiles)
        board = plan_storyboard(duration, fit(video.width, video.height, self.tile_px), most)
        bearable = DECODE_BUDGET / (video.coded_width * video.coded_height * max(1.0, video.frame_rate))
        parts = FINE_PARTS if duration <= bearable * FINER else COARSE_PARTS
        moments = _take_key_frames(task, video, board)
        if moments and not (is_sparse(moments, duration, board.step_s, parts=parts) and duration <= bearable):
            yield KeyFrames(task.outputs / KEY_FRAMES), replace(board, tiles=len(moments))
            # HDR is mapped later, and needs its own depth for that.
            moments = _take_key_frames(task, video, board, self.poster_px, "yuv420p10le" if video.is_hdr else "rgb24")
            if moments:
                yield KeyFrames(task.outputs / KEY_FRAMES), replace(board, tiles=len(moments))
        yield WholeVideo(task.source, video.index, limit_s=bearable), board

    def _take(
        self, task: Task, video: VideoStream, source: Pictures, board: Storyboard, poster: Size
    ) -> tuple[Picture, ...]:
        task.progress(20.0, "decoding")
        for stale in (*task.outputs.glob("sprite-*"), task.outputs / POSTER):
            stale.unlink(missing_ok=True)
        duration = task.info.duration_s
        try:
            run_for(task, picture_arguments(source, video, board, poster, duration_s=duration, threads=self.threads))
        except (BadMedia, ToolFailed):
            if isinstance(source, WholeVideo):
                raise
            return ()  # frames marked as key frames that cannot be decoded by themselves
        return _noted(task.outputs, board)

    def _cover(self, task: Task) -> Mapping[str, object]:
        if task.info.cover is not None:
            try:
                run_for(task, cover_arguments(task.source, task.info.cover, self.poster_px, self.threads))
            except BadMedia:
                (task.outputs / POSTER).unlink(missing_ok=True)  # a damaged cover; the song may be whole
        (task.outputs / STORYBOARD).write_text(render_storyboard(Storyboard(1, 1.0, Size(0, 0)), [], 0.0))
        return {"poster": (task.outputs / POSTER).exists(), "storyboard": {"tiles": 0}}


def _take_key_frames(task: Task, video: VideoStream, board: Storyboard, *decode_to: object) -> list[float]:
    numbers = (video.index, board.tiles, board.step_s, *decode_to)
    command = [sys.executable, "-m", "thumbnail.keyframes", str(task.source), KEY_FRAMES, *map(str, numbers)]
    try:
        report = run_child(
            command,
            cwd=task.outputs,
            time_limit_s=task.remaining() / 4,
            memory_limit_mb=task.settings.memory_limit_mb,
            cancelled=task.cancelled,
        )
        moments: list[float] = json.loads(report.stdout)
    except (BadMedia, ToolFailed, ValueError):
        return []  # what this reader cannot read, ffmpeg may
    return moments


def _noted(outputs: Path, board: Storyboard) -> tuple[Picture, ...]:
    log = outputs / PICTURE_LOG
    pictures = read_pictures(log.read_text()) if log.exists() else ()
    log.unlink(missing_ok=True)
    return pictures[: board.sheets * board.columns * board.rows]


def _details(poster: Size, board: Storyboard, tiles: int) -> dict[str, Any]:
    return {
        "poster": {"width": poster.width, "height": poster.height},
        "storyboard": {
            "tiles": tiles,
            "tileWidth": board.tile.width,
            "tileHeight": board.tile.height,
            "columns": board.columns,
            "rows": board.rows,
            "sheets": board.sheets,
        },
    }
