"""Makes inputs once and keeps them in a folder named after how they are made."""

import fcntl
import hashlib
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path

from media_fixtures.recipes import RECIPES, Recipe

#: In the repository's ignored folder, shared by all test runs.
CACHE = Path(__file__).resolve().parents[2] / ".cache" / "media_fixtures"


class FixtureCache:
    """Gives inputs by name; makes what is not there yet. Safe beside other processes that do the same."""

    def __init__(self, folder: Path = CACHE) -> None:
        self._folder = folder

    def __getitem__(self, name: str) -> Path:
        """Give the file of an input of the list. Raises KeyError for a name that is not on it."""
        recipe = RECIPES[name]
        place = self._folder / f"{name}-{digest(recipe)}"
        file = place / recipe.file_name
        if not file.exists():
            needed = {need: self[need] for need in recipe.needs}
            with _lock(self._folder, name):
                if not file.exists():
                    _put(place, lambda scratch: _make(recipe, scratch, needed))
        return file


def digest(recipe: Recipe) -> str:
    """Name a way of making a file: other arguments, texts, edits or ingredients give another name."""
    made = hashlib.sha256(repr((recipe.file_name, recipe.runs, sorted(recipe.files.items()))).encode())
    if recipe.edit is not None:
        made.update(recipe.edit(bytes(range(256)) * 400))  # what it does, seen on a sample
    for need in recipe.needs:
        made.update(digest(RECIPES[need]).encode())
    return made.hexdigest()[:16]


def _make(recipe: Recipe, scratch: Path, needed: dict[str, Path]) -> Path:
    for name, content in recipe.files.items():
        (scratch / name).write_bytes(content)
    out = scratch / recipe.file_name
    places = {name: str(path) for name, path in needed.items()} | {"folder": str(scratch), "out": str(out)}
    for run in recipe.runs:
        _run_ffmpeg([_filled(word, places) for word in run])
    if recipe.copy_of:
        shutil.copy(needed[recipe.copy_of], out)
    if recipe.edit is not None:
        out.write_bytes(recipe.edit(out.read_bytes() if out.exists() else b""))
    return out


def _filled(word: str, places: dict[str, str]) -> str:
    for name, place in places.items():
        word = word.replace(f"{{{name}}}", place)
    return word


def _run_ffmpeg(arguments: list[str]) -> None:
    subprocess.run(["ffmpeg", "-v", "error", "-nostdin", "-y", *arguments], check=True, timeout=120)


def _put(place: Path, make: Callable[[Path], Path]) -> None:
    with tempfile.TemporaryDirectory(dir=place.parent, prefix=".making-") as scratch:
        made = make(Path(scratch))
        place.mkdir(exist_ok=True)
        made.replace(place / made.name)


class _lock:
    """One maker at a time for each input."""

    def __init__(self, folder: Path, name: str) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._path = folder / f".{name}.lock"

    def __enter__(self) -> None:
        self._file = self._path.open("w")
        fcntl.flock(self._file, fcntl.LOCK_EX)

    def __exit__(self, *_: object) -> None:
        self._file.close()
