"""ffmpeg filters that every channel needs on the same pictures. Pure."""

from media_common.media_info import VideoStream

#: HDR to SDR as ffmpeg's own manual does it: linear light, BT.709 primaries, Hable's curve, BT.709 transfer.
_TONE_MAP = (
    "zscale=transfer=linear:npl=100",
    "format=gbrpf32le",
    "zscale=primaries=bt709",
    "tonemap=tonemap=hable:desat=0",
    "zscale=transfer=bt709:matrix=bt709:range=tv",
)


def to_sdr(video: VideoStream) -> tuple[str, ...]:
    """Give the filters that bring the picture to standard dynamic range; none where it has that already.

    They work on floating point numbers, which is dear: the picture should be small by then.
    """
    if not video.is_hdr:
        return ()
    # Some files tag the transfer alone; zscale refuses to guess the rest.
    tags = f"setparams=color_primaries=bt2020:color_trc={video.color_transfer}:colorspace=bt2020nc"
    return (tags, *_TONE_MAP)
