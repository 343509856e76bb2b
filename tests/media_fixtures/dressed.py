"""Playlists and scripts dressed as videos: what a hostile upload uses to read files and reach addresses."""

from pathlib import Path

#: Each names `{target}`: a local file or an address that must not be read.
DRESSED = {
    "hls": "#EXTM3U\n#EXT-X-TARGETDURATION:10\n#EXTINF:10,\n{target}\n#EXT-X-ENDLIST\n",
    "hls_key": (
        '#EXTM3U\n#EXT-X-TARGETDURATION:10\n#EXT-X-KEY:METHOD=AES-128,URI="{target}"\n'
        "#EXTINF:10,\n{target}\n#EXT-X-ENDLIST\n"
    ),
    "hls_master": "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1000000\n{target}\n",
    "concat": "ffconcat version 1.0\nfile '{target}'\n",
    "dash": (
        '<?xml version="1.0"?><MPD xmlns="urn:mpeg:dash:schema:mpd:2011" type="static" '
        'mediaPresentationDuration="PT10S" profiles="urn:mpeg:dash:profile:isoff-on-demand:2011"><Period>'
        '<AdaptationSet mimeType="video/mp4"><Representation id="1" bandwidth="1000000" codecs="avc1.64001f">'
        "<BaseURL>{target}</BaseURL></Representation></AdaptationSet></Period></MPD>"
    ),
    "sdp": "v=0\no=- 0 0 IN IP4 127.0.0.1\ns={target}\nc=IN IP4 127.0.0.1\nt=0 0\nm=video 5004 RTP/AVP 96\n",
}


def write_dressed(folder: Path, kind: str, target: str) -> Path:
    """Write `kind` (a key of DRESSED) that names `target`, as a file called .mp4. Gives its path."""
    path = folder / f"{kind}.mp4"
    path.write_text(DRESSED[kind].replace("{target}", target))
    return path
