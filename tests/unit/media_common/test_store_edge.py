import errno

import pytest
from obstore.exceptions import GenericError, PermissionDeniedError

from media_common.errors import ObjectNotFound, StoreFull, StoreUnavailable
from media_common.store_edge import translated


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        (FileNotFoundError("Object at location x not found"), ObjectNotFound),
        (FileNotFoundError("404 <Error><Code>NoSuchBucket</Code>"), StoreUnavailable),
        (GenericError("list: 404 <Code>NoSuchBucket</Code>"), StoreUnavailable),
        (GenericError("Unable to open file x/y: Not a directory (os error 20)"), ObjectNotFound),
        (GenericError("Unable to copy data to file: No space left on device (os error 28)"), StoreFull),
        (GenericError("status code: 507 Insufficient Storage"), StoreFull),
        (GenericError("500: <Code>XMinioStorageFull</Code>"), StoreFull),
        (GenericError("HTTP error: error sending request"), StoreUnavailable),
        (PermissionDeniedError("403 Forbidden"), StoreUnavailable),
        (OSError(errno.ENOSPC, "No space left on device"), StoreFull),
        (OSError(errno.EDQUOT, "Disk quota exceeded"), StoreFull),
        (OSError(errno.EIO, "Input/output error"), StoreUnavailable),
        (PermissionError(errno.EACCES, "Permission denied"), StoreUnavailable),
        (NotADirectoryError(errno.ENOTDIR, "Not a directory"), ObjectNotFound),
    ],
)
def test_the_drivers_errors_become_ours(theirs: Exception, ours: type[Exception]) -> None:
    with pytest.raises(ours, match=r"^reading a: ") as caught, translated("reading a"):
        raise theirs

    assert type(caught.value) is ours


def test_the_drivers_debugging_view_stays_out_of_the_message() -> None:
    with pytest.raises(StoreUnavailable) as caught, translated("reading a"):
        raise GenericError("Generic S3 error: refused\n\nDebug source:\nGeneric {\n store: ...")

    assert str(caught.value) == "reading a: Generic S3 error: refused"


def test_errors_of_the_program_itself_pass_through() -> None:
    with pytest.raises(ValueError, match="is no key"), translated("reading a"):
        raise ValueError("'..' is no key")
