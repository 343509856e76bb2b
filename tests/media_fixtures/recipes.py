"""The list of test inputs: for each the ffmpeg runs that make it, and what is done to its bytes after."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from media_fixtures.bitmap_subtitles import presentation_graphics
from media_fixtures.damage import Edit, damage_jpeg, damage_middle, garble_media, keep, noise


@dataclass(frozen=True)
class Recipe:
    """How one input is made.

    runs: arguments of ffmpeg runs, one after the other. ``{out}`` is the file to make, ``{name}`` another
    input of the list, ``{folder}`` a scratch folder that the runs share, where `files` are put first.
    """

    file_name: str
    runs: tuple[tuple[str, ...], ...] = ()
    files: Mapping[str, bytes] = field(default_factory=dict)
    copy_of: str | None = None
    edit: Edit | None = None

    @property
    def needs(self) -> tuple[str, ...]:
        """Names of the inputs this one is made from."""
        words = " ".join(word for run in self.runs for word in run)
        used = [name for name in RECIPES if f"{{{name}}}" in words]
        return (*used, self.copy_of) if self.copy_of else tuple(used)


def picture(size: str, rate: int | str, seconds: float, source: str = "testsrc2") -> tuple[str, ...]:
    """Give the input arguments of a moving test picture."""
    return ("-f", "lavfi", "-i", f"{source}=size={size}:rate={rate}:duration={seconds}")


def tone(seconds: float, hertz: int = 440) -> tuple[str, ...]:
    """Give the input arguments of a sine at 48 kHz."""
    return ("-f", "lavfi", "-i", f"sine=frequency={hertz}:sample_rate=48000:duration={seconds}")


H264 = ("-c:v", "libx264", "-preset", "ultrafast", "-crf", "30", "-pix_fmt", "yuv420p")
AAC = ("-c:a", "aac", "-ac", "2")
FAST_START = ("-movflags", "+faststart")
COPY = ("-c", "copy")
STILL = ("-frames:v", "1", "-f", "image2", "-update", "1", "{out}")

HDR10 = (
    "log-level=none:colorprim=bt2020:transfer=smpte2084:colormatrix=bt2020nc:hdr10=1:repeat-headers=1:"
    "master-display=G(13250,34500)B(7500,3000)R(34000,16000)WP(15635,16450)L(10000000,1):max-cll=1000,400"
)

ENGLISH = """1
00:00:00,500 --> 00:00:02,000
Good <i>morning</i>

2
00:00:02,500 --> 00:00:04,000
Salt & pepper,
on two lines
"""
GERMAN = """1
00:00:00,500 --> 00:00:02,000
Schöne Grüße
"""
SUBTITLES = {"en.srt": ENGLISH.encode(), "de.srt": GERMAN.encode()}


def with_subtitles(*codecs: str) -> tuple[str, ...]:
    """Give the run that puts the English and the German text beside the plain clip."""
    return (
        *("-i", "{plain}", "-i", "{folder}/en.srt", "-i", "{folder}/de.srt"),
        *("-map", "0:v", "-map", "0:a", "-map", "1", "-map", "2", *COPY, *codecs),
        *("-metadata:s:s:0", "language=eng", "-metadata:s:s:1", "language=deu", "-disposition:s:0", "default"),
        "{out}",
    )


ORDINARY = {
    "plain": Recipe(
        "plain.mp4",
        ((*picture("1280x720", 30, 6), *tone(6), *H264, "-g", "60", *AAC, *FAST_START, "{out}"),),
    ),
    "small": Recipe(
        "small.mp4", ((*picture("426x240", 25, 2), *tone(2), *H264, "-g", "25", *AAC, *FAST_START, "{out}"),)
    ),
    "wide_clip": Recipe(
        "wide_clip.mp4", ((*picture("854x480", "30000/1001", 14), *H264, "-crf", "40", *FAST_START, "{out}"),)
    ),
    "several_audio": Recipe(
        "several_audio.mp4",
        (
            (
                *(*picture("640x360", 25, 4), *tone(4, 300), *tone(4, 600), *tone(4, 900)),
                *("-map", "0:v", "-map", "1:a", "-map", "2:a", "-map", "3:a", *H264, "-c:a", "aac"),
                *("-ac:a:0", "2", "-ac:a:1", "6", "-ac:a:2", "1"),
                *("-metadata:s:a:0", "language=eng", "-metadata:s:a:1", "language=deu"),
                *("-disposition:a:0", "0", "-disposition:a:1", "default", "-disposition:a:2", "0", "{out}"),
            ),
        ),
    ),
    "webm": Recipe(
        "clip.webm",
        (
            (
                *("-i", "{plain}", "-t", "2", "-vf", "scale=640:-2"),
                *("-c:v", "libvpx", "-b:v", "300k", "-deadline", "realtime", "-cpu-used", "8", "-g", "30"),
                *("-c:a", "libvorbis", "{out}"),
            ),
        ),
    ),
    "vp9_mkv": Recipe(
        "vp9.mkv",
        (
            (
                *("-i", "{plain}", "-t", "2", "-vf", "scale=320:-2", "-c:v", "libvpx-vp9", "-b:v", "200k"),
                *("-deadline", "realtime", "-cpu-used", "8", "-g", "30", "-c:a", "libopus", "{out}"),
            ),
        ),
    ),
    "fragmented": Recipe(
        "fragmented.mp4",
        (("-i", "{plain}", *COPY, "-movflags", "+frag_keyframe+empty_moov+default_base_moof", "{out}"),),
    ),
    "transport_stream": Recipe("clip.ts", (("-i", "{small}", *COPY, "{out}"),)),
}

ODD = {
    "rotated": Recipe(
        "rotated.mp4",
        (
            (*picture("640x360", 30, 3), *tone(3), *H264, *AAC, "{folder}/coded.mp4"),
            ("-i", "{folder}/coded.mp4", *COPY, "-metadata:s:v:0", "rotate=90", "{out}"),
        ),
    ),
    "variable_rate": Recipe(
        "variable_rate.mp4",
        (
            (
                *(*picture("640x360", 30, 5), *tone(5)),
                *("-vf", r"select='not(mod(n\,5))+gt(mod(n\,60)\,40)'", "-fps_mode", "vfr", *H264, *AAC, "{out}"),
            ),
        ),
    ),
    "no_audio": Recipe("no_audio.mp4", ((*picture("640x360", 25, 3), *H264, "{out}"),)),
    "empty_audio": Recipe(
        "empty_audio.mkv",
        ((*picture("320x180", 25, 2), *tone(1), "-af", "atrim=end=0", *H264, "-c:a", "pcm_s16le", "{out}"),),
    ),
    "announced_audio": Recipe("announced_audio.ts", (("-i", "{small}", *COPY, "-bsf:a", "noise=drop=1", "{out}"),)),
    "late_audio": Recipe(
        "late_audio.ts", ((*picture("160x90", 10, 12), "-itsoffset", "10", *tone(2), *H264, *AAC, "{out}"),)
    ),
    "audio_only": Recipe("audio_only.m4a", ((*tone(4), "-c:a", "aac", "{out}"),)),
    "audio_mp3": Recipe("audio.mp3", ((*tone(3), "-c:a", "libmp3lame", "{out}"),)),
    "cover_art": Recipe(
        "cover_art.m4a",
        (
            (*picture("500x400", 1, 1, "testsrc"), "-frames:v", "1", "{folder}/cover.jpg"),
            (
                *("-i", "{audio_only}", "-i", "{folder}/cover.jpg", "-map", "0", "-map", "1", *COPY),
                *("-disposition:v:0", "attached_pic", "{out}"),
            ),
        ),
    ),
    "odd_size": Recipe(
        "odd_size.mp4",
        (
            (
                *picture("641x359", 25, 2, "testsrc"),
                *("-c:v", "libx264", "-preset", "ultrafast", "-pix_fmt", "yuv444p", "{out}"),
            ),
        ),
    ),
    "chroma_444": Recipe("chroma_444.mp4", ((*picture("640x360", 25, 2), *H264, "-pix_fmt", "yuv444p", "{out}"),)),
    "hdr10": Recipe(
        "hdr10.mp4",
        (
            (
                *(*picture("640x360", 25, 2), "-vf", "format=yuv420p10le", "-c:v", "libx265"),
                *("-preset", "ultrafast", "-tag:v", "hvc1", "-x265-params", HDR10, "-color_primaries", "bt2020"),
                *("-color_trc", "smpte2084", "-colorspace", "bt2020nc", "{out}"),
            ),
        ),
    ),
    "one_frame": Recipe("one_frame.mp4", ((*picture("640x360", 25, 1), "-frames:v", "1", *H264, "{out}"),)),
    "long_gop": Recipe(
        "long_gop.mp4",
        (
            (
                *(*picture("320x180", 25, 60), *H264),
                *("-g", "100000", "-keyint_min", "100000", "-sc_threshold", "0", "{out}"),
            ),
        ),
    ),
    "wide_pixels": Recipe("wide_pixels.mp4", ((*picture("720x576", 25, 2), "-vf", "setsar=16/11", *H264, "{out}"),)),
    "interlaced": Recipe(
        "interlaced.mp4",
        (
            (
                *(*picture("720x576", 50, 2), "-vf", "interlace", *H264, "-flags", "+ilme+ildct"),
                *("-x264opts", "tff=1", "{out}"),
            ),
        ),
    ),
    "late_start": Recipe(
        "late_start.ts",
        ((*picture("640x360", 25, 3), *tone(3), *H264, *AAC, "-output_ts_offset", "10", "-muxdelay", "0", "{out}"),),
    ),
    "late_picture": Recipe(
        "late_picture.mkv",
        (
            (
                *("-itsoffset", "1", *picture("640x360", 25, 3), *tone(4), "-map", "0", "-map", "1"),
                *("-fps_mode", "passthrough", *H264, *AAC, "{out}"),
            ),
        ),
    ),
    "two_minutes": Recipe(
        "two_minutes.mp4", ((*picture("192x108", 10, 120), *H264, "-crf", "45", "-g", "20", *FAST_START, "{out}"),)
    ),
    "far_key_frames": Recipe(
        "far_key_frames.mp4", ((*picture("192x108", 10, 120), *H264, "-crf", "45", "-g", "83", "{out}"),)
    ),
    "two_hours": Recipe("two_hours.mp4", (("-stream_loop", "59", "-i", "{two_minutes}", *COPY, *FAST_START, "{out}"),)),
    "black_intro": Recipe(
        "black_intro.mp4",
        (
            (
                *("-f", "lavfi", "-i", "color=black:s=640x360:r=25:d=3", *picture("640x360", 25, 3)),
                *("-filter_complex", "[0][1]concat=n=2", *H264, "-g", "25", "{out}"),
            ),
        ),
    ),
    "all_black": Recipe(
        "all_black.mp4", (("-f", "lavfi", "-i", "color=black:s=320x180:r=25:d=2", *H264, "-g", "25", "{out}"),)
    ),
    "no_key_frames": Recipe(
        "no_key_frames.ts",
        (
            (
                *(*picture("320x180", 25, 3), "-c:v", "libx264", "-preset", "fast", "-pix_fmt", "yuv420p"),
                *("-x264opts", "intra-refresh=1:keyint=25", "{out}"),
            ),
        ),
    ),
    "open_gop": Recipe(
        "open_gop.mp4",
        (
            (
                *(*picture("320x180", 25, 12), "-c:v", "libx264", "-preset", "veryfast", "-pix_fmt", "yuv420p"),
                *("-g", "25", "-bf", "3", "-x264opts", "open-gop=1", "{out}"),
            ),
        ),
    ),
}

SUBTITLED = {
    "subtitles_mov_text": Recipe("mov_text.mp4", (with_subtitles("-c:s", "mov_text"),), SUBTITLES),
    "subtitles_srt": Recipe("srt.mkv", (with_subtitles("-c:s", "srt"),), SUBTITLES),
    "subtitles_ass": Recipe("ass.mkv", (with_subtitles("-c:s", "ass"),), SUBTITLES),
    "subtitles_webvtt": Recipe("webvtt.mkv", (with_subtitles("-c:s", "webvtt"),), SUBTITLES),
    "subtitles_bitmap": Recipe(
        "bitmap.mkv",
        (
            (
                *("-i", "{plain}", "-i", "{folder}/pictures.sup", "-map", "0", "-map", "1", *COPY),
                *("-metadata:s:s:0", "language=eng", "{out}"),
            ),
        ),
        {"pictures.sup": presentation_graphics(start_s=1.0, end_s=3.0)},
    ),
}

BROKEN = {
    "zero_bytes": Recipe("zero_bytes.mp4", edit=lambda _: b""),
    "no_moov": Recipe("no_moov.mp4", (("-i", "{plain}", *COPY, "{out}"),), edit=keep(0.6)),
    "truncated": Recipe("truncated.mp4", copy_of="plain", edit=keep(0.6)),
    "truncated_mkv": Recipe("truncated.mkv", copy_of="subtitles_srt", edit=keep(0.6)),
    "random_bytes": Recipe("random_bytes.mp4", edit=lambda _: noise(1, 300_000)),
    "corrupt_middle": Recipe("corrupt_middle.mp4", copy_of="plain", edit=damage_middle),
    "damaged_cover": Recipe(
        "damaged_cover.m4a", copy_of="cover_art", edit=lambda data: damage_jpeg(data) if b"covr" in data else data
    ),
    "garbled": Recipe(
        "garbled.mp4", copy_of="small", edit=lambda data: garble_media(data) if b"mdat" in data else data
    ),
    "image": Recipe("image.mp4", ((*picture("320x240", 1, 1, "testsrc"), "-c:v", "png", *STILL),)),
    "jpeg": Recipe("jpeg.mp4", ((*picture("320x240", 1, 1, "testsrc"), "-c:v", "mjpeg", *STILL),)),
    "text": Recipe("text.mp4", edit=lambda _: b"This is a letter, not a video.\n"),
}

RECIPES: dict[str, Recipe] = ORDINARY | ODD | SUBTITLED | BROKEN
