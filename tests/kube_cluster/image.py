"""Writes an image of one static program as `docker save` does: `image.py NAME PROGRAM [LINK…] >FILE`."""

import hashlib
import io
import json
import sys
import tarfile
from pathlib import Path

#: Any user but root: what the images' manifests ask of them (runAsNonRoot) needs a number.
USER = "65532:65532"


def member(archive: tarfile.TarFile, name: str, content: bytes, mode: int = 0o644) -> None:
    """Add a file without date or owner: the same program is the same image."""
    entry = tarfile.TarInfo(name)
    entry.size, entry.mode = len(content), mode
    archive.addfile(entry, io.BytesIO(content))


def layer(program: Path, links: list[str]) -> bytes:
    """The one layer: the program, other names of it, and a writable /tmp."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        member(archive, program.name, program.read_bytes(), 0o755)
        for link in links:
            entry = tarfile.TarInfo(link.lstrip("/"))
            entry.type, entry.linkname = tarfile.SYMTYPE, f"/{program.name}"
            archive.addfile(entry)
        folder = tarfile.TarInfo("tmp")
        folder.type, folder.mode = tarfile.DIRTYPE, 0o1777
        archive.addfile(folder)
    return buffer.getvalue()


def write_image(name: str, program: Path, links: list[str]) -> None:
    """Write the archive. The program is the entry point."""
    content = layer(program, links)
    config = json.dumps(
        {
            "architecture": "amd64",
            "os": "linux",
            "config": {"Entrypoint": [f"/{program.name}"], "User": USER, "Env": ["PATH=/bin:/usr/bin:/"]},
            "rootfs": {"type": "layers", "diff_ids": [f"sha256:{hashlib.sha256(content).hexdigest()}"]},
        }
    ).encode()
    about = [{"Config": "config.json", "RepoTags": [name], "Layers": ["layer.tar"]}]
    with tarfile.open(fileobj=sys.stdout.buffer, mode="w|") as archive:
        member(archive, "config.json", config)
        member(archive, "layer.tar", content)
        member(archive, "manifest.json", json.dumps(about).encode())


if __name__ == "__main__":
    write_image(sys.argv[1], Path(sys.argv[2]), sys.argv[3:])
