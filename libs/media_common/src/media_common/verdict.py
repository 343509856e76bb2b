"""Decides whose fault it was when a child program failed. Pure."""

import re
import signal

from media_common.errors import BadMedia, LimitExceeded, MediaError, ToolFailed

#: Said by allocators that met the memory limit: libc, C++, Python, x264, and thread stacks.
_OUT_OF_MEMORY = re.compile(
    r"Cannot allocate memory|std::bad_alloc|MemoryError|Out of memory|malloc of size \d+ failed"
    r"|[Ff]ailed to allocate|Error allocating|get_buffer\(\) failed"
    r"|Resource temporarily unavailable|can't start new thread|thread_encoder_init failed"
)
#: The fault of the machine or of our own command line, whatever else was said.
_OURS = re.compile(
    r"No space left on device|Disk quota exceeded|Permission denied|Read-only file system|Too many open files"
    r"|Input/output error|No such file or directory|Unrecognized option|Option .* not found|Unknown encoder"
    r"|Error splitting the argument list|No such filter|Error initializing complex filters"
)
#: ffmpeg's words for an input it cannot make sense of.
_INPUTS = re.compile(
    r"Invalid data found|moov atom not found|not on whitelist|[Cc]ould not find codec parameters|EBML header"
    r"|does not contain any stream|matches no streams|[Ee]rror while decoding|[Ee]rror submitting packet"
    r"|Invalid NAL|non-existing PPS|Decod(?:er|ing) .*(?:not found|requested)|[Uu]nsupported codec|no frame!"
    r"|Picture size \d+x\d+ is invalid|Output file is empty|Unknown decoder|[Ii]nvalid .* (?:header|packet|frame)"
    r"|Cannot determine format of input stream|Nothing was written into output file"
)
#: Lines that only say that something went wrong before, by ffmpeg 5 to 7.
_EMPTY_WORDS = re.compile(
    r"^(?:Conversion failed!|Exiting.*|Last message repeated \d+ times|Error while processing the decoded data.*"
    r"|Error marking filters as finished|Error re(?:initializing|configuring) filters!|Error configuring filter graph.*"
    r"|Error while filtering: .*|Error sending frames to consumers: .*|Task finished with error code.*"
    r"|Terminating thread with return code.*|Error opening (?:in|out)put files?.*)$"
)
_COMPONENT = re.compile(r"^(?:\[[^\]]*@ 0x[0-9a-f]+\]\s*)+")
_PATH = re.compile(r"(?:file:)?/[^\s:]*/([^\s:/]+)")


def failure_of(
    program: str, exit_code: int, stderr_tail: str, *, memory_limit_mb: int | None, judges_input: bool
) -> MediaError:
    """Give the error for a child that did not end well.

    exit_code: negative for the signal that ended it. judges_input: its complaints about its input count
    as the input's fault. The error's details hold the whole tail.
    """
    if memory_limit_mb is not None and ran_out_of_memory(stderr_tail):
        return LimitExceeded(
            f"{program} needed more than the memory limit of {memory_limit_mb} MiB", details=stderr_tail
        )
    reason = last_words(stderr_tail)
    if judges_input and exit_code > 0 and not _OURS.search(stderr_tail) and _INPUTS.search(stderr_tail):
        return BadMedia(": ".join(filter(None, [f"{program} cannot read the file", reason])), details=stderr_tail)
    how = f"was ended by {_signal_name(-exit_code)}" if exit_code < 0 else f"ended with code {exit_code}"
    return ToolFailed(f"{program} {how}: {reason or 'it said nothing'}", details=stderr_tail)


def ran_out_of_memory(stderr_tail: str) -> bool:
    """Tell whether an allocation failed. ffmpeg may go on after one, and end well with half an output."""
    return _OUT_OF_MEMORY.search(stderr_tail) is not None


def last_words(stderr_tail: str) -> str:
    """Give the last line that says something, without memory addresses and without folders."""
    for line in reversed(stderr_tail.splitlines()):
        words = _PATH.sub(r"\1", _COMPONENT.sub("", line.strip()))
        if words and not _EMPTY_WORDS.match(words):
            return words[:300]
    return ""


def _signal_name(number: int) -> str:
    try:
        name = signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
    return f"{name} (out of memory?)" if number == signal.SIGKILL else name
