"""Makes the Python environment of an image, one layer of it at a time. The Dockerfile runs it; it needs pip.

    image_environment.py tools                      what our own packages are built with; it stays outside of images
    image_environment.py shared                     packages that every service needs, and the environment they live in
    image_environment.py packages SERVICE [EXTRA…]  what this service needs beyond them
    image_environment.py own SERVICE                our code
    image_environment.py load                       an environment with what tests/load needs

Each of the others writes a folder of LAYERS with the environment's paths. Of a lock file only what is needed is
installed, with its hashes: the lock says after "# via" who asked for a package, so the way down from our own
dependencies can be walked.
"""

import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterable
from pathlib import Path

#: Where the environment is in the image: pip writes this path into commands.
ENVIRONMENT = Path("/opt/mediaflow")
LAYERS = Path("/layers")

#: Libraries that all services are made of; what these need is the layer they share.
SHARED = ("mediaflow-mq-common", "mediaflow-media-common")

#: What our own packages are built with, and where.
BUILD = ("hatchling", "editables")
TOOLS = Path("/tools")
WHEELS = Path("/wheels")  # always the same: pip writes into RECORD where a wheel lay

ALWAYS = ("--no-warn-script-location", "--no-cache-dir", "--no-compile", "--no-deps", "--ignore-installed")
#: Nothing but wheels with the lock's hashes: there is no compiler to build anything with.
PINNED = (*ALWAYS, "--only-binary", ":all:", "--require-hashes", "--requirement", "/dev/stdin")

#: Languages of the console; Babel has data for a thousand more.
LANGUAGES = ("en", "tr")

#: Large parts of packages that nothing of ours imports: a second client of Kubernetes, for asyncio; numpy's own tests.
UNUSED = ("kubernetes/aio", "numpy/**/tests")
#: Packages that only those parts import.
LEFT_OUT = {"aiohttp", "aiohttp-retry"}
#: Generated code, three quarters of it documentation: its modules are kept in compiled form alone.
GENERATED = ("kubernetes/client/api", "kubernetes/client/models")

#: All files are as old as this, so that the same packages make the same layer. 1980-01-01, the first day of zip files.
TIMESTAMP = 315532800


def normal(name: str) -> str:
    """Give a package's name as the index spells it (PEP 503)."""
    return re.sub(r"[-_.]+", "-", name).lower()


def named(requirement: str) -> str:
    """Give the name in a requirement such as ``gunicorn>=27``. Raises ValueError when there is none."""
    name = re.match(r"[A-Za-z0-9._-]+", requirement)
    if name is None:
        raise ValueError(f"no package is named in {requirement!r}")
    return normal(name.group())


class Lock:
    """A lock file: for each package its lines with versions and hashes, and who asked for it."""

    def __init__(self, text: str) -> None:
        self._lines: dict[str, list[str]] = {}
        self._asked_by: dict[str, set[str]] = {}
        for block in re.split(r"^(?=[A-Za-z0-9])", text, flags=re.MULTILINE):
            if not block[:1].isalnum():
                continue
            lines = [line.strip() for line in block.splitlines()]
            # One package may stand there more than once, for different versions of Python.
            self._lines.setdefault(named(block), []).extend(
                line for line in block.splitlines() if line.strip() and not line.lstrip().startswith("#")
            )
            comments = " ".join(line.removeprefix("#") for line in lines if line.startswith("#"))
            asked_by = {normal(word) for word in comments.split() if word != "via"}
            self._asked_by.setdefault(named(block), set()).update(asked_by)

    def closure(self, roots: Iterable[str]) -> set[str]:
        """Name the roots and all that they ask for, less what is left out. Raises LookupError for a root not locked."""
        chosen = set(roots)
        if missing := chosen - set(self._lines):
            raise LookupError(f"not in the lock file: {', '.join(sorted(missing))}")
        while more := {name for name, by in self._asked_by.items() if by & chosen} - chosen - LEFT_OUT:
            chosen |= more
        return chosen

    def lines(self, names: Iterable[str]) -> str:
        """Give what pip reads about these packages."""
        return "\n".join(line for name in sorted(names) for line in self._lines[name]) + "\n"


class House:
    """Our own packages, as far as their folders are here."""

    def __init__(self, root: Path) -> None:
        projects = {file.parent: tomllib.loads(file.read_text())["project"] for file in root.glob("*/*/pyproject.toml")}
        self.folders = {project["name"]: folder for folder, project in projects.items()}
        self._projects = {project["name"]: project for project in projects.values()}

    def parts(self, names: Iterable[str]) -> set[str]:
        """Name these packages and those of ours that they are made of. Raises LookupError where there is none such."""
        found: set[str] = set()
        wanted = list(names)
        while wanted:
            name = wanted.pop()
            if name not in self._projects:
                raise LookupError(f"no package of ours is named {name}")
            found.add(name)
            wanted += [each for each in self._asked(name) if each in self._projects and each not in found]
        return found

    def foreign(self, names: Iterable[str], extras: Iterable[str] = ()) -> set[str]:
        """Name what these packages of ours ask others for; ``extras`` are the first one's optional dependencies."""
        names = list(names)
        asked = {each for part in self.parts(names) for each in self._asked(part)} - set(self._projects)
        for extra in extras:
            optional = self._projects[names[0]].get("optional-dependencies", {})
            if extra not in optional:
                raise LookupError(f"{names[0]} has no extra {extra}")
            asked |= {named(each) for each in optional[extra]}
        return asked

    def _asked(self, name: str) -> set[str]:
        return {named(each) for each in self._projects[name]["dependencies"]}


def make_tools(root: Path) -> None:
    """Make the environment that builds our own packages."""
    lock = Lock((root / "requirements.lock").read_text())
    run(sys.executable, "-m", "venv", "--without-pip", TOOLS)
    pip(TOOLS, "install", *PINNED, lines=lock.lines(lock.closure(BUILD)))


def make_shared(root: Path) -> None:
    """Make the environment, and the layer of what all services need."""
    lock, house = Lock((root / "requirements.lock").read_text()), House(root)
    new_environment(LAYERS / "shared")
    install(lock.lines(lock.closure(house.foreign(SHARED))), LAYERS / "shared")


def make_packages(root: Path, service: str, *extras: str) -> None:
    """Make the layer of what this service needs beyond the shared one."""
    lock, house = Lock((root / "requirements.lock").read_text()), House(root)
    needed = lock.closure(house.foreign([f"mediaflow-{service}"], extras))
    install(lock.lines(needed - lock.closure(house.foreign(SHARED))), LAYERS / "packages")


def make_own(root: Path, service: str) -> None:
    """Make the layer of our own code, with the command that the image starts."""
    house = House(root)
    ours = [house.folders[name] for name in house.parts([f"mediaflow-{service}"])]
    pip(TOOLS, "wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", WHEELS, *ours)
    pip(ENVIRONMENT, "install", *ALWAYS, "--root", LAYERS / "own", "--no-index", *sorted(WHEELS.glob("*.whl")))
    commands = LAYERS / "own" / ENVIRONMENT.relative_to("/") / "bin"
    (commands / "service").symlink_to(f"mediaflow-{service}")
    settle(LAYERS / "own")


def make_load(root: Path) -> None:
    """Make the environment of the load generator. Its packages are among those that tests are run with."""
    lock = Lock((root / "requirements-dev.lock").read_text())
    wanted = (root / "tests/load/requirements.in").read_text().splitlines()
    roots = {named(line) for line in wanted if line.strip() and not line.startswith("#")}
    new_environment(LAYERS / "load")
    install(lock.lines(lock.closure(roots)), LAYERS / "load")


def new_environment(layer: Path) -> None:
    """Make an empty environment without pip, and put it into the layer."""
    run(sys.executable, "-m", "venv", "--without-pip", ENVIRONMENT)
    for script in (ENVIRONMENT / "bin").glob("[Aa]ctivate*"):
        script.unlink()
    target = layer / ENVIRONMENT.relative_to("/")
    target.parent.mkdir(parents=True)
    run("cp", "-a", ENVIRONMENT, target)


def install(lines: str, layer: Path) -> None:
    """Put pinned packages into a layer."""
    layer.mkdir(parents=True, exist_ok=True)
    if lines.strip():
        pip(ENVIRONMENT, "install", *PINNED, "--root", layer, lines=lines)
    else:  # Docker without BuildKit can't export an image that an empty folder was copied into
        note = layer / ENVIRONMENT.relative_to("/") / f"{layer.name}.txt"
        note.parent.mkdir(parents=True)
        note.write_text("none\n")
    settle(layer)


def pip(environment: Path, command: str, *options: str | Path, lines: str = "") -> None:
    """Let the pip beside this program's Python work on another environment."""
    base = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check", "--python"]
    run(*base, environment / "bin/python", command, *options, lines=lines)


def prune(site: Path) -> None:
    """Remove what is not used from a folder of packages."""
    for path in [each for pattern in UNUSED for each in site.glob(pattern)]:
        shutil.rmtree(path)
    for locale in site.glob("babel/locale-data/*.dat"):
        if re.split(r"[_.]", locale.name)[0] not in (*LANGUAGES, "root"):
            locale.unlink()


def compile_modules(layer: Path, site: Path) -> None:
    """Compile all modules, since nothing can be written where they are used."""
    options = ["-q", "--invalidation-mode", "unchecked-hash", "-s", layer, "-p", "/"]
    run(sys.executable, "-m", "compileall", *options, layer, environment={**os.environ, "PYTHONHASHSEED": "0"})
    for source in [each for folder in GENERATED for each in (site / folder).glob("*.py")]:
        compiled = source.parent / "__pycache__" / f"{source.stem}.{sys.implementation.cache_tag}.pyc"
        compiled.rename(source.with_suffix(".pyc"))
        source.unlink()


def settle(layer: Path) -> None:
    """Make a layer as it will be in the image: no larger than it has to be, and the same whenever it is made."""
    for site in layer.glob("opt/mediaflow/lib/python3.*/site-packages"):
        prune(site)
        compile_modules(layer, site)
        for record in site.glob("*.dist-info/direct_url.json"):  # where a wheel lay while the image was made
            record.unlink()
    for path in [layer, *layer.rglob("*")]:
        os.utime(path, (TIMESTAMP, TIMESTAMP), follow_symlinks=False)


def run(*command: object, lines: str = "", environment: dict[str, str] | None = None) -> None:
    """Run a command, with ``lines`` as its input. Raises CalledProcessError."""
    subprocess.run([str(word) for word in command], check=True, input=lines, text=True, env=environment)


STEPS: dict[str, Callable[..., None]] = {
    "tools": make_tools,
    "shared": make_shared,
    "packages": make_packages,
    "own": make_own,
    "load": make_load,
}

if __name__ == "__main__":
    STEPS[sys.argv[1]](Path.cwd(), *sys.argv[2:])
