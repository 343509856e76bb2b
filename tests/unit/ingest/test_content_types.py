import pytest

from ingest.content_types import BodyForm, bare_type, body_form, require_media
from ingest.problems import Problem


@pytest.mark.parametrize(
    ("header", "form"),
    [
        ("video/mp4", BodyForm.RAW),
        ("VIDEO/Mp4; codecs=avc1", BodyForm.RAW),
        ("audio/mpeg", BodyForm.RAW),
        ("application/octet-stream", BodyForm.RAW),
        ("application/mp4", BodyForm.RAW),
        ("application/ogg", BodyForm.RAW),
        (None, BodyForm.RAW),
        ("application/json", BodyForm.JSON),
        ("application/json; charset=utf-8", BodyForm.JSON),
        ("application/vnd.api+json", BodyForm.JSON),
        ("multipart/form-data; boundary=x", BodyForm.MULTIPART),
    ],
)
def test_the_content_type_decides_how_the_body_is_read(header, form):
    assert body_form(bare_type(header)) is form


@pytest.mark.parametrize(
    "header",
    [
        "text/plain",
        "text/html",
        "image/svg+xml",
        "application/x-www-form-urlencoded",
        "multipart/mixed",
        "application/vnd.apple.mpegurl",
        "audio/x-mpegurl",
        "audio/mpegurl",
        "application/zip",
        "nonsense",
    ],
)
def test_what_is_not_media_is_refused_with_415(header):
    with pytest.raises(Problem) as refused:
        body_form(bare_type(header))
    assert refused.value.kind.status == 415
    assert "video/*" in refused.value.detail


def test_curls_default_type_is_refused_with_the_option_that_is_missing():
    with pytest.raises(Problem) as refused:
        body_form("application/x-www-form-urlencoded")
    assert "-H 'Content-Type: video/mp4'" in refused.value.detail


@pytest.mark.parametrize("content_type", ["text/plain", "application/json", "image/png", "audio/x-mpegurl"])
def test_a_forms_file_must_be_media_too(content_type):
    with pytest.raises(Problem):
        require_media(content_type)
