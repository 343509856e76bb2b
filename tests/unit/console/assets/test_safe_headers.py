"""Media that users sent is shown or saved, never run."""

import pytest

from console.assets.safe_headers import safe_headers


@pytest.mark.parametrize(
    "content_type",
    [
        "text/html",
        "text/html; charset=utf-8",
        "image/svg+xml",
        "application/xhtml+xml",
        "text/xml",
        "application/javascript",
        "application/pdf",
        "text/plain; charset=utf-8",
        "application/json",
        "multipart/x-mixed-replace",
        "TEXT/HTML",
        "video/mp4, text/html",
        "",
    ],
)
def test_what_is_no_known_media_is_only_ever_saved(content_type):
    headers = safe_headers({"Content-Type": content_type}, file_name="en/x.html")
    assert headers["Content-Type"] == "application/octet-stream"
    assert headers["Content-Disposition"] == 'attachment; filename="x.html"'


@pytest.mark.parametrize(
    "content_type", ["video/mp4", "video/iso.segment", "image/jpeg", "text/vtt", "application/vnd.apple.mpegurl"]
)
def test_known_media_is_shown_but_in_a_sandbox_and_as_what_it_says(content_type):
    headers = safe_headers({"Content-Type": f"{content_type}; charset=x"}, file_name="a")
    assert headers["Content-Type"] == content_type
    assert "Content-Disposition" not in headers
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert "sandbox" in headers["Content-Security-Policy"]
    assert headers["Cross-Origin-Resource-Policy"] == "same-origin"


def test_nothing_else_of_the_other_sides_headers_goes_through():
    given = {"Set-Cookie": "a=b", "Location": "/x", "Content-Encoding": "gzip", "Refresh": "0", "ETag": '"1"'}
    headers = safe_headers(given | {"Content-Security-Policy": "default-src *"}, file_name="a")
    assert set(given) & set(headers) == {"ETag"}
    assert headers["Content-Security-Policy"] == "default-src 'none'; sandbox"


def test_an_uploaded_file_is_saved_under_the_name_that_ingest_wrote_even_when_it_could_be_played():
    given = {"Content-Type": "video/mp4", "Content-Disposition": "attachment; filename*=UTF-8''a%22b.mp4"}
    assert safe_headers(given, file_name="a", to_save=True)["Content-Disposition"] == given["Content-Disposition"]
    inline = given | {"Content-Disposition": "inline"}
    assert safe_headers(inline, file_name='x"y', to_save=True)["Content-Disposition"] == 'attachment; filename="xy"'


def test_what_bytes_there_are_is_told_as_it_was_told():
    given = {"Content-Range": "bytes 0-1/5", "Content-Length": "2", "Accept-Ranges": "bytes", "Last-Modified": "x"}
    assert given.items() <= safe_headers(given | {"Content-Type": "video/mp4"}, file_name="a").items()
