"""The engine the settings ask for."""

from importlib.machinery import ModuleSpec
from pathlib import Path

import pytest

from mq_common.errors import ConfigurationError
from subtitle.recognise import engines
from subtitle.recognise.engines import Engine, choose_engine
from subtitle.settings import SubtitleSettings


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> set[str]:
    """Names of the packages that count as installed; the packaged weights lie in a folder of the test."""
    names: set[str] = {"faster_whisper", "pocketsphinx", engines.PACKAGED_WEIGHTS}
    (tmp_path / "package/model").mkdir(parents=True)
    (tmp_path / "package/model/model.bin").write_bytes(b"weights")

    def find_spec(name: str) -> ModuleSpec | None:
        if name not in names:
            return None
        spec = ModuleSpec(name, None, is_package=True)
        spec.submodule_search_locations = [str(tmp_path / "package")]
        return spec

    monkeypatch.setattr(engines, "find_spec", find_spec)
    monkeypatch.setattr(engines, "PACKAGED_SHA256", "9a129038d9a00aed0cf6a7ea059ca50a813449061ab87848cf1a13eafdf33b2c")
    return names


@pytest.fixture
def model(tmp_path: Path) -> Path:
    """A folder that looks like a model's."""
    folder = tmp_path / "small"
    folder.mkdir()
    for name in ("model.bin", "tokenizer.json", "vocabulary.json"):
        (folder / name).touch()
    return folder


def test_by_default_whisper_with_the_packaged_english_model(installed: set[str], tmp_path: Path) -> None:
    assert choose_engine(SubtitleSettings()) == Engine(
        "whisper", "tiny.en", tmp_path / "package/model", frozenset({"en"}), draft=False
    )


@pytest.mark.parametrize("missing", ["faster_whisper", engines.PACKAGED_WEIGHTS])
def test_without_whisper_or_its_weights_a_draft_by_pocketsphinx(installed: set[str], missing: str) -> None:
    installed.remove(missing)
    assert choose_engine(SubtitleSettings()) == Engine("pocketsphinx", "en-us", None, frozenset({"en"}), draft=True)


def test_the_operators_model_says_itself_what_it_hears(installed: set[str], model: Path) -> None:
    engine = choose_engine(SubtitleSettings(whisper_model=model))
    assert engine == Engine("whisper", "small", model, None, draft=False)


def test_no_engine_when_switched_off(installed: set[str]) -> None:
    assert choose_engine(SubtitleSettings(engine="none")) is None


@pytest.mark.parametrize("name", ["model.bin", "tokenizer.json", "vocabulary.json"])
def test_a_model_that_is_not_whole_is_refused_by_name(installed: set[str], model: Path, name: str) -> None:
    (model / name).unlink()
    with pytest.raises(ConfigurationError, match=rf"MEDIAFLOW_SUBTITLE_WHISPER_MODEL: .* holds no .*{name}"):
        choose_engine(SubtitleSettings(whisper_model=model))


def test_packaged_weights_that_are_not_the_known_ones_are_refused(installed: set[str], tmp_path: Path) -> None:
    (tmp_path / "package/model/model.bin").write_bytes(b"other weights")
    with pytest.raises(ConfigurationError, match="MEDIAFLOW_SUBTITLE_WHISPER_MODEL: the weights"):
        choose_engine(SubtitleSettings())


@pytest.mark.parametrize(
    ("settings", "missing", "named"),
    [
        ({"engine": "whisper"}, {"faster_whisper"}, "MEDIAFLOW_SUBTITLE_ENGINE: whisper needs"),
        ({"engine": "whisper"}, {engines.PACKAGED_WEIGHTS}, "MEDIAFLOW_SUBTITLE_WHISPER_MODEL: give the folder"),
        ({"engine": "pocketsphinx"}, {"pocketsphinx"}, "MEDIAFLOW_SUBTITLE_ENGINE: pocketsphinx needs"),
        ({"engine": "auto"}, {"faster_whisper", "pocketsphinx"}, "MEDIAFLOW_SUBTITLE_ENGINE: no speech engine"),
        ({"whisper_model": "/models/x"}, {"faster_whisper"}, "MEDIAFLOW_SUBTITLE_WHISPER_MODEL: is set, but"),
        ({"whisper_model": "/models/x"}, set(), "MEDIAFLOW_SUBTITLE_WHISPER_MODEL: /models/x is not a folder"),
    ],
)
def test_what_is_missing_is_named(installed: set[str], settings: dict[str, str], missing: set[str], named: str) -> None:
    installed -= missing
    with pytest.raises(ConfigurationError, match=named):
        choose_engine(SubtitleSettings(**settings))  # type: ignore[arg-type]


def test_a_track_without_a_language_is_given_a_try() -> None:
    english = Engine("whisper", "tiny.en", languages=frozenset({"en"}))
    assert english.hears(None)
    assert english.hears("en")
    assert not english.hears("tr")
    assert Engine("whisper", "small").hears("tr")
