"""Makes the Python environment of one service's image: `image_environment.py SERVICE FOLDER`, run by the Dockerfile.

Of requirements.lock only what the service needs is installed, with its hashes: the lock tells after "# via" who asked
for each package, so the way from the service's own dependencies down to the last of them can be walked.
"""

import re
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent
if not (ROOT / "libs").is_dir():
    ROOT = ROOT.parent

#: What our own packages are built with; it stays out of the image.
BUILD = ("hatchling", "editables")


def normal(name: str) -> str:
    """Give a package's name as the index spells it (PEP 503)."""
    return re.sub(r"[-_.]+", "-", name).lower()


def locked(text: str) -> dict[str, tuple[str, set[str]]]:
    """Read a lock file: for each package its lines with versions and hashes, and who asked for it."""
    found: dict[str, tuple[str, set[str]]] = {}
    for block in re.split(r"^(?=[A-Za-z0-9])", text, flags=re.MULTILINE):
        name = re.match(r"[A-Za-z0-9._-]+", block)
        if name is None:
            continue
        lines = [line for line in block.splitlines() if line.strip() and not line.lstrip().startswith("#")]
        comments = " ".join(line.strip().lstrip("#") for line in block.splitlines() if line.lstrip().startswith("#"))
        asked_by = {normal(word) for word in comments.replace("via", " ").split() if not word.startswith("-")}
        found[normal(name.group())] = ("\n".join(lines), asked_by)
    return found


def own_packages(service: str) -> dict[str, Path]:
    """Give the service's package and those of our libraries that it is made of, by name."""
    folders = {
        tomllib.loads(file.read_text())["project"]["name"]: file.parent for file in ROOT.glob("*/*/pyproject.toml")
    }
    wanted, found = [f"mediaflow-{service}"], {}
    while wanted:
        name = wanted.pop()
        if name in found:
            continue
        found[name] = folders[name]
        wanted += [each for each in map(normal, dependencies(folders[name])) if each in folders]
    return found


def dependencies(folder: Path) -> list[str]:
    """Name what a package of ours asks for."""
    project = tomllib.loads((folder / "pyproject.toml").read_text())["project"]
    return [re.match(r"[A-Za-z0-9._-]+", each).group() for each in project["dependencies"]]  # type: ignore[union-attr]


def needed(lock: dict[str, tuple[str, set[str]]], roots: set[str]) -> list[str]:
    """Give the lock's lines for the roots and for all that they ask for. Raises KeyError for what is not locked."""
    chosen = {name for name in roots if lock[name]}
    while True:
        more = {name for name, (_, asked_by) in lock.items() if asked_by & chosen} - chosen
        if not more:
            return [lock[name][0] for name in sorted(chosen)]
        chosen |= more


def main(service: str, folder: Path) -> None:
    """Make the environment."""
    lock = locked((ROOT / "requirements.lock").read_text())
    ours = own_packages(service)
    roots = {normal(each) for path in ours.values() for each in dependencies(path)} - set(ours)
    with tempfile.TemporaryDirectory() as work:
        tools = Path(work, "tools")
        run(sys.executable, "-m", "venv", tools)
        install(tools, needed(lock, set(BUILD)), work)
        wheels = Path(work, "wheels")
        run(tools / "bin/pip", "wheel", "-q", "--no-deps", "--no-build-isolation", "-w", wheels, *ours.values())
        run(sys.executable, "-m", "venv", "--without-pip", folder)
        install(folder, needed(lock, roots), work, pip=tools / "bin/pip")
        run(
            tools / "bin/pip",
            "--python",
            folder / "bin/python",
            "install",
            "-q",
            "--no-deps",
            "--no-index",
            *wheels.iterdir(),
        )
    (folder / "bin/service").symlink_to(f"mediaflow-{service}")


def install(environment: Path, lines: list[str], work: str, pip: Path | None = None) -> None:
    """Install pinned lines into an environment."""
    chosen = Path(work, "chosen.lock")
    chosen.write_text("\n".join(lines) + "\n")
    command = [pip, "--python", environment / "bin/python"] if pip else [environment / "bin/pip"]
    run(*command, "install", "-q", "--no-cache-dir", "--no-compile", "--no-deps", "--require-hashes", "-r", chosen)


def run(*command: object) -> None:
    """Run a command; its failure ends the build."""
    subprocess.run([str(word) for word in command], check=True)


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
