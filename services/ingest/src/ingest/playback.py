"""How to play an asset: found by what the channels' files are, not by which channel made them. Pure."""

from collections.abc import Iterator, Sequence
from urllib.parse import quote

from ingest.models import PlaybackView, SubtitleView
from media_common.hls import MASTER
from media_common.states import ChannelState

#: Names by which a channel offers a still picture and preview pictures for the seek bar.
POSTER_STEM, STORYBOARD = "poster.", "storyboard.vtt"


def output_url(asset_id: str, channel: str, name: str) -> str:
    """Give the path of an output on this host."""
    return f"/media/{asset_id}/{channel}/{quote(name)}"


def find_playback(asset_id: str, states: Sequence[ChannelState]) -> PlaybackView:
    """Collect what a player needs from the channels that are done."""
    done = [state for state in states if state.state == "done"]
    names = [(state.channel, str(output["name"])) for state in done for output in state.outputs]
    posters = (pair for pair in names if pair[1].startswith(POSTER_STEM))
    storyboards = (pair for pair in names if pair[1] == STORYBOARD)
    masters = ((state.channel, MASTER) for state in done if _hls_part(state, "variants"))
    return PlaybackView(
        hls=_first_url(asset_id, masters),
        poster=_first_url(asset_id, posters),
        storyboard=_first_url(asset_id, storyboards),
        subtitles=[
            SubtitleView(name=str(track.get("name", "")), language=track.get("language"))
            for state in done
            for track in _hls_part(state, "subtitles")
        ],
    )


def _hls_part(state: ChannelState, part: str) -> list[dict[str, str]]:
    hls = state.details.get("hls")
    found = hls.get(part) if isinstance(hls, dict) else None
    return found if isinstance(found, list) else []


def _first_url(asset_id: str, found: Iterator[tuple[str, str]]) -> str | None:
    first = next(found, None)
    return output_url(asset_id, *first) if first else None
