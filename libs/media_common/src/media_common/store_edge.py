"""The edge to obstore and to the file system: their errors become ours."""

import errno
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager

from obstore.exceptions import BaseError, PermissionDeniedError, UnauthenticatedError

from media_common.errors import ObjectNotFound, StoreError, StoreFull, StoreUnavailable

#: EFBIG is the limit of a file system or of this process on one file: no room for it either.
_FULL_ERRNOS = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
_FULL = re.compile(
    r"os error (?:" + "|".join(str(number) for number in sorted(_FULL_ERRNOS)) + r")\b"
    r"|507 Insufficient|StorageFull|InsufficientStorage|QuotaExceeded|EntityTooLarge"
)
#: A step of the key is an object, not a folder: there is nothing below it.
_NOT_THERE = re.compile(rf"os error (?:{errno.ENOENT}|{errno.ENOTDIR})\b")

#: The process in which obstore's threads run. They do not survive a fork; a call in the child would hang.
_first_user: int | None = None


@contextmanager
def translated(what: str) -> Iterator[None]:
    """Raise our errors for theirs: ObjectNotFound, StoreUnavailable, StoreFull.

    what: the operation and its key, for the message.
    """
    try:
        yield
    except FileNotFoundError as error:
        if "NoSuchBucket" in str(error):
            raise StoreUnavailable(f"{what}: the bucket does not exist") from None
        raise ObjectNotFound(f"{what}: there is no such object") from None
    except (PermissionDeniedError, UnauthenticatedError) as error:
        raise StoreUnavailable(f"{what}: the store refuses us: {_first_line(error)}") from None
    except BaseError as error:
        raise _of_message(what, error) from None
    except NotADirectoryError:
        raise ObjectNotFound(f"{what}: there is no such object") from None
    except OSError as error:
        kind = StoreFull if error.errno in _FULL_ERRNOS else StoreUnavailable
        raise kind(f"{what}: {error.strerror or error}") from None


@contextmanager
def in_store(what: str) -> Iterator[None]:
    """Surround a call to obstore: `translated`, and RuntimeError in a process forked after the first call."""
    _check_process()
    with translated(what):
        yield


def _of_message(what: str, error: BaseError) -> StoreError | ObjectNotFound:
    text = str(error)
    if _FULL.search(text):
        return StoreFull(f"{what}: the store has no room left: {_first_line(error)}")
    if "NoSuchBucket" in text:
        return StoreUnavailable(f"{what}: the bucket does not exist")
    if _NOT_THERE.search(text):
        return ObjectNotFound(f"{what}: there is no such object")
    return StoreUnavailable(f"{what}: {_first_line(error)}")


def _first_line(error: Exception) -> str:
    # the rest is the driver's own debugging view
    return next(iter(str(error).splitlines()), type(error).__name__)[:300]


def _check_process() -> None:
    global _first_user  # noqa: PLW0603 - obstore's threads are one per process too
    if _first_user is None:
        _first_user = os.getpid()
    elif _first_user != os.getpid():
        raise RuntimeError("the store was used before this process was forked; use it only after the fork")
