"""One tree of errors: what is wrong with the input, what is wrong around it.

The errors of obstore, of ffmpeg and of the operating system are translated at the edge, so callers
never import those to catch something. A message is one sentence an operator can act on.
"""


class MediaError(Exception):
    """Base of every error this package raises on purpose.

    `details` holds what a child program said last, for the log; the message itself stays one line.
    """

    def __init__(self, message: str, *, details: str = "") -> None:
        super().__init__(message)
        self.details = details


class BadMedia(MediaError):
    """The input itself is at fault: not a video, broken, hostile. Trying again cannot help."""


class LimitExceeded(BadMedia):
    """The input needs more time, memory, pixels or duration than this installation allows."""


class SourceMissing(BadMedia):
    """The uploaded file is no longer in the store, or is not the one the event speaks of."""


class ObjectNotFound(MediaError):
    """The store holds no object under the key that was asked for."""


class StoreError(MediaError):
    """The object store did not do what it was asked."""


class StoreUnavailable(StoreError):
    """The store cannot be reached, or refuses us."""


class StoreFull(StoreError):
    """The store has no room left."""


class ToolFailed(MediaError):
    """A child program failed for a reason that is not clearly the input's."""


class ToolMissing(ToolFailed):
    """A program this installation needs (ffmpeg, ffprobe) is not there."""


class JobCancelled(MediaError):
    """The job was told to stop; its child has been killed and nothing was committed."""


#: What a worker may do with each: to the dead letters at once, try again, give the message back.
PERMANENT: tuple[type[MediaError], ...] = (BadMedia,)
TRANSIENT: tuple[type[MediaError], ...] = (StoreError, ToolFailed)
INTERRUPTED: tuple[type[MediaError], ...] = (JobCancelled,)
