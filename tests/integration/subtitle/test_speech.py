"""What is said, heard for real by both engines."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from subtitle_runs import Run, Runner, shown

from media_fixtures.cache import FixtureCache

Make = Callable[..., Path]

#: The beginning of the second chapter of "Sense and Sensibility", as the reader says it.
SENTENCES = (
    "And Mr. John Dashwood had then leisure to consider how much there might be prudently in his power to do for them.",
    "He was not an ill-disposed young man.",
    "Had he married a more amiable woman he might have been made still more respectable than he was.",
)
#: Words both engines get right, and when they are said, in seconds.
LANDMARKS = {"leisure": 5.3, "consider": 5.9, "power": 8.8, "young": 17.2, "married": 23.7, "respectable": 27.4}


def assert_said_in_time(vtt: str, *, tolerance_s: float = 0.6) -> None:
    cues = shown(vtt)
    for word, at in LANDMARKS.items():
        assert any(
            word in text.lower() and start - tolerance_s <= at <= end + tolerance_s for start, end, text in cues
        ), f"{word} is said at {at} s; shown were {cues}"


def words(text: str) -> list[str]:
    return re.findall(r"[a-z]+", text.lower())


@pytest.fixture(scope="module")
def clip_by_whisper(speech_clip: Path, tmp_path_factory: pytest.TempPathFactory) -> Run:
    """The clip, listened to once for all that is asked of it."""
    return Runner(tmp_path_factory.mktemp("clip"))(speech_clip, engine="whisper")


def test_whisper_hears_what_is_said_and_when(clip_by_whisper: Run) -> None:
    heard = words(" ".join(text for _, _, text in shown(clip_by_whisper.text("en/subtitles.vtt"))))
    wanted = words(" ".join(SENTENCES))
    assert sum(word in heard for word in wanted) >= 0.95 * len(wanted)
    assert abs(len(heard) - len(wanted)) <= 2
    assert_said_in_time(clip_by_whisper.text("en/subtitles.vtt"))
    assert clip_by_whisper.details | {"cues": 0, "words": 0} == {
        "source": "speech",
        "language": "en",
        "languageAssumed": True,
        "engine": "whisper",
        "model": "tiny.en",
        "draft": False,
        "cues": 0,
        "words": 0,
        "reason": None,
        "tracks": clip_by_whisper.details["tracks"],
        "skipped": [],
        "hls": {
            "subtitles": [
                {"uri": "en/index.m3u8", "name": "English", "language": "en", "default": True, "forced": False}
            ]
        },
    }


def test_cues_end_with_sentences_and_stay_dark_in_pauses(clip_by_whisper: Run) -> None:
    cues = shown(clip_by_whisper.text("en/subtitles.vtt"))
    ends = [end for _, end, text in cues if text.endswith(".")]
    assert len(ends) == len(SENTENCES)
    assert not [cue for cue in cues if cue[0] < 14 and cue[1] > 11]
    assert not [cue for cue in cues if cue[0] < 22 and cue[1] > 19]


def test_pocketsphinx_hears_enough_for_a_draft(speech_clip: Path, run: Runner) -> None:
    result = run(speech_clip, engine="pocketsphinx")
    assert_said_in_time(result.text("en/subtitles.vtt"))
    assert (result.details["engine"], result.details["draft"]) == ("pocketsphinx", True)


@pytest.mark.parametrize("engine", ["whisper", "pocketsphinx"])
@pytest.mark.parametrize("sound", ["anullsrc=r=48000", "sine=frequency=440", "anoisesrc=amplitude=0.3:color=pink"])
def test_silence_a_tone_and_noise_say_nothing(make: Make, run: Runner, engine: str, sound: str) -> None:
    source = make("a.mka", "-f", "lavfi", "-i", sound, "-t", "12", "-c:a", "flac")
    result = run(source, engine=engine)
    assert result.names == ["en/subtitles.vtt"]
    assert result.text("en/subtitles.vtt") == "WEBVTT\n"
    assert result.details["reason"] == "no speech was found"
    assert result.details["hls"] == {"subtitles": []}


@pytest.mark.parametrize("name", ["no_audio", "announced_audio"])
def test_no_sound_track_is_an_empty_valid_file(media_fixtures: FixtureCache, run: Runner, name: str) -> None:
    result = run(media_fixtures[name])
    assert result.names == ["und/subtitles.vtt"]
    assert result.text("und/subtitles.vtt") == "WEBVTT\n"
    assert (result.details["reason"], result.details["engine"]) == ("no sound track", None)


@pytest.mark.parametrize("name", ["empty_audio", "late_audio", "audio_only", "cover_art"])
def test_sound_in_which_nobody_speaks_is_an_empty_valid_file(
    media_fixtures: FixtureCache, run: Runner, name: str
) -> None:
    result = run(media_fixtures[name])
    assert result.text_of_default == "WEBVTT\n"
    assert result.details["reason"] == "no speech was found"


def test_three_minutes_cross_a_window_and_lose_and_double_nothing(speech_clip: Path, make: Make, run: Runner) -> None:
    whole = make("long.m4a", "-stream_loop", "5", "-i", str(speech_clip), "-map", "0:a", "-c", "copy")
    result = run(whole, engine="whisper")
    cues = shown(result.text("en/subtitles.vtt"))
    heard = words(" ".join(text for _, _, text in cues))
    wanted = words(" ".join(SENTENCES))
    # A reading may come out as "old sposed"; a lost or doubled sentence would be seven words and more.
    assert abs(len(heard) - 6 * len(wanted)) <= 6
    for landmark in LANDMARKS:
        assert sum(landmark in text.lower() for _, _, text in cues) == 6
    # Once per window, and once more per second of decoding.
    listening = [percent for percent, step in result.progress if step == "recognising speech"]
    assert listening == sorted(listening)
    assert len(listening) >= 2
    assert listening[-1] == pytest.approx(100)


@pytest.mark.parametrize(
    ("picture_s", "sound_s", "name"),
    [(0, 3, "late.mkv"), (0, 3, "late.ts"), (2, 0, "early.mkv"), (10, 12, "shifted.ts")],
)
def test_words_are_in_time_whichever_of_sound_and_picture_starts_first(
    speech_clip: Path, make: Make, run: Runner, picture_s: int, sound_s: int, name: str
) -> None:
    source = make(
        name,
        *("-itsoffset", str(picture_s), "-i", str(speech_clip), "-itsoffset", str(sound_s), "-i", str(speech_clip)),
        *("-map", "0:v", "-map", "1:a", "-c", "copy", "-t", str(12 + sound_s), "-muxdelay", "0"),
    )
    cues = shown(run(source, engine="whisper").text("en/subtitles.vtt"))
    start, end = next((start, end) for start, end, text in cues if "leisure" in text)
    said_at = LANDMARKS["leisure"] + sound_s - min(picture_s, sound_s)
    assert start - 0.6 <= said_at <= end + 0.6


def test_the_default_sound_track_is_the_one_listened_to(speech_clip: Path, make: Make, run: Runner) -> None:
    source = make(
        "two.mkv",
        *("-f", "lavfi", "-i", "sine=duration=20", "-t", "20", "-i", str(speech_clip), "-map", "0:a", "-map", "1:a"),
        *("-c:a", "aac", "-disposition:a:0", "0", "-disposition:a:1", "default", "-metadata:s:a:1", "language=eng"),
    )
    result = run(source, engine="whisper")
    assert "leisure" in result.text("en/subtitles.vtt")
    assert result.details["languageAssumed"] is False


def test_a_language_the_model_does_not_know_gives_no_nonsense(speech_clip: Path, make: Make, run: Runner) -> None:
    source = make("tr.mka", "-i", str(speech_clip), "-map", "0:a", "-c", "copy", "-metadata:s:a:0", "language=tur")
    for engine in ("whisper", "pocketsphinx"):
        result = run(source, engine=engine)
        assert result.text("tr/subtitles.vtt") == "WEBVTT\n"
        assert result.details["reason"] == (
            "no engine for language tr: give MEDIAFLOW_SUBTITLE_WHISPER_MODEL a multilingual model"
        )


def test_speech_recognition_can_be_switched_off(speech_clip: Path, run: Runner) -> None:
    result = run(speech_clip, engine="none")
    assert result.text("und/subtitles.vtt") == "WEBVTT\n"
    assert "MEDIAFLOW_SUBTITLE_ENGINE=none" in str(result.details["reason"])


def test_forced_tracks_do_not_stand_for_what_is_said(
    speech_clip: Path, make: Make, run: Runner, tmp_path: Path
) -> None:
    (tmp_path / "a.srt").write_text("1\n00:00:01,000 --> 00:00:02,000\nBonjour\n")
    source = make(
        "forced.mkv",
        *(
            "-i",
            str(speech_clip),
            "-i",
            str(tmp_path / "a.srt"),
            "-map",
            "0",
            "-map",
            "1",
            "-c",
            "copy",
            "-c:s",
            "srt",
            "-t",
            "11",
        ),
        *("-metadata:s:s:0", "language=fra", "-disposition:s:0", "forced"),
    )
    result = run(source, engine="pocketsphinx")
    assert "leisure" in result.text("en/subtitles.vtt")
    assert "Bonjour" in result.text("fr-forced/subtitles.vtt")
    assert result.details["source"] == "speech"
