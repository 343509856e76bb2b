"""multipart/form-data (RFC 7578), read as a stream: the file goes straight on, whatever its size."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from werkzeug.exceptions import RequestEntityTooLarge
from werkzeug.http import parse_options_header
from werkzeug.sansio.multipart import Data, Epilogue, Field, File, MultipartDecoder, NeedData

from ingest.content_types import bare_type
from ingest.fields import FILE_FIELDS
from ingest.problems import INVALID, MALFORMED, Problem

#: The one part that holds the file.
FILE_PART = "file"

#: What a form may carry around the file.
_MOST_PARTS = 20
_MOST_FIELD_BYTES = 4096
_MOST_HEADER_BYTES = 16 * 1024

#: RFC 2046 allows 70, but some clients make theirs of a clock and a random number and don't count.
MOST_BOUNDARY_CHARS = 200


@dataclass(frozen=True, slots=True)
class FilePart:
    """The form's file: its name as the client wrote it, its content type, its bytes as they come."""

    file_name: str
    content_type: str
    pieces: Iterator[bytes]


def boundary_of(content_type_header: str) -> bytes:
    """Give the boundary, or raise Problem 400."""
    _, options = parse_options_header(content_type_header)
    boundary = options.get("boundary", "")
    if not 1 <= len(boundary) <= MOST_BOUNDARY_CHARS or not boundary.isascii():
        raise Problem(
            MALFORMED,
            f"multipart/form-data needs a boundary of 1 to {MOST_BOUNDARY_CHARS} characters; curl -F adds one.",
        )
    return boundary.encode()


class FormReader:
    """Reads one form: known fields are kept, others are read away, the file is handed on piece by piece."""

    def __init__(self, pieces: Iterator[bytes], boundary: bytes) -> None:
        self._pieces = pieces
        self._decoder = MultipartDecoder(boundary, max_parts=_MOST_PARTS)
        self._most_buffered = _MOST_HEADER_BYTES + len(boundary)
        self._delimiter_bytes = len(b"\r\n--" + boundary + b"--\r\n")
        self._held = b""
        self.fields: dict[str, str] = {}

    def read(self, take: Callable[[FilePart], None]) -> None:
        """Read to the end; ``take`` gets the file when it comes and must read its pieces. Raises Problem 400, 422."""
        seen_file = False
        while not isinstance(event := self._next(), Epilogue):
            if isinstance(event, File) and event.name == FILE_PART:
                if seen_file:
                    raise Problem(INVALID, "The form has two parts named 'file'; send one file per request.")
                seen_file = True
                part = FilePart(event.filename, bare_type(event.headers.get("content-type")), self._data())
                take(part)
                for _ in part.pieces:
                    pass
            elif isinstance(event, (Field, File)):
                self._keep_field(event)
        if not seen_file:
            raise Problem(INVALID, "The form has no file. Send one part named 'file': curl -F file=@holiday.mp4")

    def _keep_field(self, part: Field | File) -> None:
        wanted = part.name in FILE_FIELDS
        if part.name == FILE_PART:
            raise Problem(INVALID, "The part 'file' has no file name; send it as a file: curl -F file=@holiday.mp4")
        if wanted and part.name in self.fields:
            raise Problem(INVALID, f"The field {part.name} is there twice.")
        value = bytearray()
        for data in self._data():
            value += data
            if len(value) > _MOST_FIELD_BYTES:
                raise Problem(INVALID, f"A field other than 'file' has more than {_MOST_FIELD_BYTES} bytes.")
        if wanted:
            try:
                self.fields[part.name] = value.decode()
            except UnicodeDecodeError:
                raise Problem(INVALID, f"The field {part.name} is not UTF-8.") from None

    def _data(self) -> Iterator[bytes]:
        while True:
            event = self._next()
            if not isinstance(event, Data):
                raise Problem(MALFORMED, "The form ends in the middle of a part.")
            if event.data:
                yield event.data
            if not event.more_data:
                return

    def _next(self) -> object:
        try:
            while isinstance(event := self._decoder.next_event(), NeedData):
                if len(self._decoder.buffer) > self._most_buffered:
                    raise Problem(
                        MALFORMED, "The form has a part header without an end, or text before its first part."
                    )
                self._decoder.receive_data(self._next_piece())
        except RequestEntityTooLarge:
            raise Problem(INVALID, f"The form has more than {_MOST_PARTS} parts.") from None
        except (ValueError, AttributeError, TypeError) as error:
            raise Problem(MALFORMED, f"The form can't be read: {error}. Nothing was kept.") from None
        return event

    def _next_piece(self) -> bytes | None:
        """Give the next bytes, None at the end, never with a delimiter cut in two.

        werkzeug's decoder takes the line break before the last delimiter for content when a piece ends between that
        delimiter's two closing dashes, so what may be the start of one waits for the rest.
        """
        piece = next(self._pieces, None)
        if piece is None:
            held, self._held = self._held, b""
            return held or None
        data = self._held + piece
        start = data.rfind(b"\r", max(0, len(data) - self._delimiter_bytes))
        cut = len(data) if start < 0 else start
        self._held = data[cut:]
        return data[:cut]
