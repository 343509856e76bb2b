import pytest
from hypothesis import given
from hypothesis import strategies as st

from media_common import layout


def test_every_object_of_an_asset_has_its_place() -> None:
    assert layout.source_key("a1") == "assets/a1/source"
    assert layout.asset_key("a1") == "assets/a1/asset.json"
    assert layout.channel_prefix("a1", "transcode") == "assets/a1/transcode/"
    assert layout.output_key("a1", "transcode", "720p/index.m3u8") == "assets/a1/transcode/720p/index.m3u8"
    assert layout.progress_key("a1", "transcode") == "assets/a1/transcode/progress.json"
    assert layout.result_key("a1", "transcode") == "assets/a1/transcode/result.json"
    assert layout.failure_key("a1", "transcode") == "assets/a1/transcode/failure.json"


@pytest.mark.parametrize(
    "asset_id", ["", ".", "..", "../a", "a/b", "-a", ".a", "a\n", "a b", "é", "a\0", "x" * 129, "a#1"]
)
def test_what_is_no_asset_id_makes_no_key(asset_id: str) -> None:
    assert not layout.is_asset_id(asset_id)
    with pytest.raises(ValueError, match="is not an asset id"):
        layout.source_key(asset_id)


@pytest.mark.parametrize("channel", ["", "..", "Transcode", "a/b", "a\n", "source "])
def test_what_is_no_channel_makes_no_key(channel: str) -> None:
    with pytest.raises(ValueError, match="is not a channel"):
        layout.result_key("a1", channel)


@pytest.mark.parametrize(
    "name",
    ["", "/etc/passwd", "../x", "a/../../x", "a//b", "a/", "-x.mp4", "a:b.mp4", "x\n", "x#1", ".hidden", "a b"],
)
def test_what_is_no_output_makes_no_key(name: str) -> None:
    with pytest.raises(ValueError, match="is not the name of an output"):
        layout.output_key("a1", "transcode", name)


@pytest.mark.parametrize("name", sorted(layout.BOOKKEEPING))
def test_the_books_of_a_channel_are_no_outputs(name: str) -> None:
    assert not layout.is_output_name(name)


@given(st.text(max_size=40))
def test_no_name_leads_out_of_its_folder(name: str) -> None:
    if layout.is_output_name(name):
        key = layout.output_key("a1", "transcode", name)
        assert key.startswith("assets/a1/transcode/")
        assert ".." not in key.split("/")
