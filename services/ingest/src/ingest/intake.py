"""Where an upload's bytes go, and how their hash is made beside it."""

from typing import Protocol

from ingest.bodies import RequestBody
from ingest.digest import StreamDigest
from ingest.file_digest import FileDigest
from ingest.kernel_pipe import KernelPipe
from media_common.store import FileWriter, StoreWriter


class Intake(Protocol):
    """Takes bytes; `close` ends its thread and comes before the writer's end."""

    def take(self, piece: bytes) -> None:
        """Take the next piece. Raises StoreError."""

    def hexdigest(self) -> str:
        """Give the SHA-256 of everything, before the writer commits. Raises StoreError."""

    def close(self) -> None:
        """Stop hashing."""


class PieceIntake:
    """For a store that is elsewhere, and for bytes that are only compared: they pass through this process."""

    def __init__(self, writer: StoreWriter | None) -> None:
        self._writer = writer
        self._digest = StreamDigest()
        self.hexdigest = self._digest.hexdigest
        self.close = self._digest.close

    def take(self, piece: bytes) -> None:
        """See `Intake.take`."""
        self._digest.update(piece)
        if self._writer is not None:
            self._writer.write(piece)


class FileIntake:
    """For a file of this machine: what the hash needs is read back from it, so the kernel can bring the bytes."""

    def __init__(self, writer: FileWriter) -> None:
        self._writer = writer
        self._digest = FileDigest(writer.read_back)
        self.hexdigest = self._digest.hexdigest
        self.close = self._digest.close

    def take(self, piece: bytes) -> None:
        """See `Intake.take`."""
        self._digest.grow(self._writer.write(piece))

    def take_poured(self, body: RequestBody) -> int:
        """Take what is left of a body that pours; gives the number of bytes. Raises its Problems, StoreError."""
        total = 0
        with KernelPipe() as pipe:
            while size := body.pour(pipe):
                self._writer.write_from(pipe.outlet, size)
                self._digest.grow(size)
                total += size
        return total


def open_intake(writer: StoreWriter | None) -> PieceIntake | FileIntake:
    """Choose by where the writer writes; None only hashes."""
    return FileIntake(writer) if isinstance(writer, FileWriter) else PieceIntake(writer)
