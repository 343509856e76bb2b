import doctest

import pytest
from hypothesis import given
from hypothesis import strategies as st
from werkzeug.http import parse_options_header

from ingest import file_names
from ingest.file_names import MAX_BYTES, attachment_disposition, clean_file_name, file_name_of_disposition


@pytest.mark.parametrize(
    ("sent", "shown"),
    [
        ("holiday.mp4", "holiday.mp4"),
        ("my holiday.mp4", "my holiday.mp4"),
        ("a:b.mp4", "a:b.mp4"),
        ("-dash.mp4", "-dash.mp4"),
        ('say "hi".mp4', 'say "hi".mp4'),
        ("🏖️ beach.mp4", "🏖️ beach.mp4"),
        ("../../etc/passwd", "passwd"),
        ("C:\\videos\\clip.mp4", "clip.mp4"),
        ("two\nlines.mp4", "two lines.mp4"),
        ("nul\x00l.mp4", "nul l.mp4"),
        ("tab\tand\rreturn.mp4", "tab and return.mp4"),
        ("gpj\u202e4pm.exe", "gpj4pm.exe"),
        ("e\u0301.mp4", "\u00e9.mp4"),
        ("bad\ud800surrogate.mp4", "bad?surrogate.mp4"),
        ("<script>.mp4", "<script>.mp4"),
        ("", None),
        (None, None),
        ("..", None),
        (" . ", None),
        ("/", None),
        ("\n\n", None),
    ],
)
def test_a_name_is_kept_as_it_is_but_for_what_could_mislead(sent, shown):
    assert clean_file_name(sent) == shown


def test_a_long_name_is_cut_to_255_bytes_without_breaking_a_character_and_keeps_its_suffix():
    cut = clean_file_name("ä" * 300 + ".mp4")
    assert len(cut.encode()) in (MAX_BYTES - 1, MAX_BYTES)
    assert cut == "ä" * 125 + ".mp4"


def test_a_long_name_without_a_real_suffix_is_cut_at_its_end():
    assert clean_file_name("x" * 100 + "." + "y" * 200) == "x" * 100 + "." + "y" * 154


@given(st.text(max_size=400))
def test_whatever_is_sent_the_name_fits_shows_and_stays_the_same_when_cleaned_again(sent):
    name = clean_file_name(sent)
    if name is not None:
        assert 0 < len(name.encode()) <= MAX_BYTES
        assert not any(char in name for char in "/\\\n\r\x00\u202e")
        assert clean_file_name(name) == name


@given(st.text(min_size=1, max_size=100))
def test_a_saved_name_comes_back_whole_and_the_header_is_plain_ascii(sent):
    name = clean_file_name(sent)
    if name is not None:
        header = attachment_disposition(name)
        assert header.isascii()
        assert header.isprintable()
        assert parse_options_header(header)[1]["filename"] == name


@pytest.mark.parametrize(
    ("header", "name"),
    [
        ('attachment; filename="clip.mp4"', "clip.mp4"),
        ("attachment; filename*=UTF-8''%F0%9F%8F%96%20beach.mp4", "🏖 beach.mp4"),
        ("inline; filename=\"a.mp4\"; filename*=UTF-8''b.mp4", "b.mp4"),
        ("grün.mp4".join(('attachment; filename="', '"')).encode().decode("latin-1"), "grün.mp4"),
        ("attachment", None),
        ("", None),
        (None, None),
    ],
)
def test_the_name_is_read_from_content_disposition(header, name):
    assert file_name_of_disposition(header) == name


def test_the_examples_in_the_docstrings_hold():
    assert doctest.testmod(file_names).failed == 0
