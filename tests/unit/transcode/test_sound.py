from media_fixtures.infos import a_sound
from transcode.sound import MOST_TRACKS, choose_audio


def test_the_track_flagged_as_default_comes_first_and_is_the_only_default():
    tracks = [a_sound(index=1, language="en"), a_sound(index=2, language="de", default=True)]

    chosen = choose_audio(tracks)

    assert [(sound.stream, sound.default, sound.folder) for sound in chosen] == [
        (2, True, "audio"),
        (1, False, "audio-2"),
    ]


def test_without_a_flag_the_first_track_is_the_default():
    assert [sound.default for sound in choose_audio([a_sound(index=1), a_sound(index=2)])] == [True, False]


def test_when_every_track_is_flagged_there_is_still_one_default():
    assert [sound.default for sound in choose_audio([a_sound(default=True), a_sound(default=True)])] == [True, False]


def test_surround_becomes_stereo_and_mono_stays_mono():
    chosen = choose_audio([a_sound(channels=6), a_sound(channels=1), a_sound(channels=0)])

    assert [sound.channels for sound in chosen] == [2, 1, 1]
    assert [sound.rate for sound in chosen] == [128, 64, 64]


def test_names_are_unique_in_the_group():
    tracks = [a_sound(title="Film"), a_sound(title="Film"), a_sound(language="en"), a_sound()]

    assert [sound.name for sound in choose_audio(tracks)] == ["Film", "Film (2)", "English", "Audio 4"]


def test_a_disc_with_dozens_of_tracks_is_cut_off():
    assert len(choose_audio([a_sound(index=number) for number in range(40)])) == MOST_TRACKS


def test_no_track_gives_no_rendition():
    assert choose_audio([]) == ()
