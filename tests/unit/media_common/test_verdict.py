import pytest

from media_common.errors import BadMedia, LimitExceeded, MediaError, ToolFailed
from media_common.verdict import failure_of, last_words

_MOOV = "[mov,mp4,m4a,3gp,3g2,mj2 @ 0x55dc3616e8c0] moov atom not found\n/store/a1/source: Invalid data found"


@pytest.mark.parametrize(
    ("exit_code", "stderr", "kind", "words"),
    [
        (1, _MOOV, BadMedia, "ffmpeg cannot read the file: source: Invalid data found"),
        (1, "[hls @ 0x1] Format not on whitelist 'mov'\n/a/b: Invalid argument", BadMedia, "cannot read"),
        (1, "Error while decoding stream #0:0: Invalid data found\nConversion failed!", BadMedia, "decoding"),
        (1, "Stream map '0:V:0' matches no streams.", BadMedia, "matches no streams"),
        (
            1,
            "Cannot determine format of input stream 0:1 after EOF\nError marking filters as finished",
            BadMedia,
            "0:1",
        ),
        (1, "Unknown encoder 'zzz'", ToolFailed, "ended with code 1: Unknown encoder 'zzz'"),
        (1, "av_interleaved_write_frame(): No space left on device", ToolFailed, "No space left"),
        (1, _MOOV + "\nav_interleaved_write_frame(): No space left on device", ToolFailed, "No space left"),
        (1, "", ToolFailed, "it said nothing"),
        (-9, _MOOV, ToolFailed, "SIGKILL (out of memory?)"),
        (-11, "Error while decoding stream", ToolFailed, "SIGSEGV"),
        (-99, "", ToolFailed, "signal 99"),
        (1, "[h264 @ 0x1] get_buffer() failed\nError: Cannot allocate memory", LimitExceeded, "of 512 MiB"),
        (1, "[h264 @ 0x1] get_buffer() failed\nError while decoding stream #0:0: Invalid data", LimitExceeded, "512"),
        (
            1,
            "[mjpeg @ 0x1] ff_frame_thread_encoder_init failed\nError while opening encoder - maybe wrong parameters",
            LimitExceeded,
            "memory limit",
        ),
        (-6, "terminate called after throwing an instance of 'std::bad_alloc'", LimitExceeded, "memory limit"),
    ],
)
def test_it_is_clear_whose_fault_it_was(exit_code: int, stderr: str, kind: type[MediaError], words: str) -> None:
    error = failure_of("ffmpeg", exit_code, stderr, memory_limit_mb=512, judges_input=True)

    assert type(error) is kind
    assert words in str(error)
    assert error.details == stderr


def test_without_a_memory_limit_a_failed_allocation_is_the_machines_fault() -> None:
    error = failure_of("ffmpeg", 1, "Cannot allocate memory", memory_limit_mb=None, judges_input=True)

    assert type(error) is ToolFailed


def test_a_program_that_does_not_read_media_is_never_the_inputs_fault() -> None:
    error = failure_of("recogniser", 1, "Invalid data found", memory_limit_mb=512, judges_input=False)

    assert type(error) is ToolFailed


@pytest.mark.parametrize(
    "echo",
    [
        "Error marking filters as finished",
        "    Last message repeated 12 times",
        "Error reinitializing filters!\nError while filtering: Numerical result out of range",
        "[af#0:1 @ 0x55d0] Task finished with error code: -1094995529 (Invalid data found when processing input)",
        "[vost#0:0/libx264 @ 0x55d0] [enc:libx264 @ 0x55d1] Terminating thread with return code -22",
        "[in#0 @ 0x55d0] Error opening input files: Invalid data found when processing input",
    ],
)
def test_a_line_that_only_says_that_something_went_wrong_before_is_not_the_reason(echo: str) -> None:
    said = f"[aac @ 0x55d0] Number of bands (2) exceeds limit (1).\n{echo}\nConversion failed!"

    assert last_words(said) == "Number of bands (2) exceeds limit (1)."


def test_when_nothing_else_was_said_the_reason_is_left_out() -> None:
    echo = "Task finished with error code: -1094995529 (Invalid data found when processing input)"
    error = failure_of("ffmpeg", 1, echo, memory_limit_mb=512, judges_input=True)

    assert (type(error), str(error)) == (BadMedia, "ffmpeg cannot read the file")


def test_the_last_words_hold_no_addresses_and_no_folders() -> None:
    said = "[mov,mp4 @ 0x55dc3616e8c0] /srv/store/assets/a1/source: broken\nConversion failed!\n\n"

    assert last_words(said) == "source: broken"
