"""Subtitle text to safe WebVTT text."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from subtitle.markup import from_ass, from_subrip


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("Good <i>morning</i>", "Good <i>morning</i>"),
        ("Salt & pepper", "Salt &amp; pepper"),
        ("5 < 6 > 4", "5 &lt; 6 &gt; 4"),
        ('<font color="#ff0000">Red</font>', "Red"),
        ("<I>shout</I>", "<i>shout</i>"),
        ("<b><i>both</b></i>", "<b><i>both</i></b>"),
        ("<i>never closed", "<i>never closed</i>"),
        ("never opened</i>", "never opened"),
        ("<i></i>nothing", "nothing"),
        (r"{\an8}at the top", "at the top"),
        ("<v Bob>Hi", "Hi"),
        ("<c.yellow>Hi</c>", "Hi"),
        ("<grin> he said", "&lt;grin&gt; he said"),
        ("<script>alert(1)</script>", "&lt;script&gt;alert(1)&lt;/script&gt;"),
        ('<i onclick="x">Hi</i>', "<i>Hi</i>"),
        ("00:01 --> 00:02", "00:01 --&gt; 00:02"),
        ("one\r\ntwo\rthree", "one\ntwo\nthree"),
        ("one\n\n\ntwo", "one\ntwo"),
        ("a\x00b\x1b[31m", "ab[31m"),
        ("a literal &lt;", "a literal &amp;lt;"),
    ],
)
def test_subrip_text_becomes_webvtt_text(source: str, text: str) -> None:
    assert from_subrip(source) == text


@pytest.mark.parametrize(
    ("source", "text"),
    [
        (r"one\Ntwo", "one\ntwo"),
        (r"one\ntwo\hthree", "one two three"),
        (r"{\i1}Hello{\i0} world", "<i>Hello</i> world"),
        (r"{\b700\i1}loud{\r}", "<b><i>loud</i></b>"),
        (r"{\pos(10,20)\c&H0000FF&\fad(100,200)}plain", "plain"),
        (r"{\p1}m 0 0 l 100 0 100 100{\p0}text", "text"),
        (r"{\p1}m 0 0 l 100 0 100 100", ""),
        (r"{\pbo5}text", "text"),
        (r"{a note by the author}text", "text"),
        (r"{\k20}ka{\k30}ra", "kara"),
        (r"{\blur5\iclip(1,2,3,4)\be1\ul}plain", "plain"),
        ("a < b & c", "a &lt; b &amp; c"),
        ("<i>literal</i>", "&lt;i&gt;literal&lt;/i&gt;"),
    ],
)
def test_ass_text_becomes_webvtt_text(source: str, text: str) -> None:
    assert from_ass(source) == text


pieces = st.sampled_from(
    ["<i>", "</i>", "<b>", "</b>", "<u>", "</u>", "<", ">", "&", "x", "\n", "<x y>", r"{\i1}", r"{\b0}"]
)


@given(st.lists(pieces, max_size=30).map("".join) | st.text(max_size=80))
def test_whatever_comes_in_only_whole_known_tags_come_out(source: str) -> None:
    for text in (from_subrip(source), from_ass(source)):
        open_tags: list[str] = []
        for tag in re.findall(r"<(/?[biu])>", text):
            if tag.startswith("/"):
                assert open_tags.pop() == tag[1:]
            else:
                open_tags.append(tag)
        assert not open_tags
        assert not re.search(r"<(?!/?[biu]>)|&(?!amp;|lt;|gt;)|-->|\n\n|[\x00\r]", text)
