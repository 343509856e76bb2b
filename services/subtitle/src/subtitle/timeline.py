"""Where a file's time begins, so that cues fit its HLS renditions, whose first moment is 0. Pure."""

from media_common.media_info import MediaInfo

#: A picture that starts this little after the sound (seconds) only waits for the audio encoder's delay:
#: what was timed to the picture was timed to its first frame.
ENCODER_DELAY_S = 0.1


def beginning(info: MediaInfo) -> float:
    """Give the moment of the file's own clock that counts as 0, in seconds.

    It is the picture's first frame, or the first sound where that starts clearly earlier.
    """
    if info.video is not None and info.video.start_s - info.start_s < ENCODER_DELAY_S:
        return info.video.start_s
    return info.start_s
