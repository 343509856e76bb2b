import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.forms import FormReader, boundary_of
from ingest.problems import Problem


def _part(disposition: str, content: bytes, content_type: str | None = None) -> bytes:
    head = f"Content-Disposition: form-data; {disposition}\r\n"
    head += f"Content-Type: {content_type}\r\n" if content_type else ""
    return b"--sep\r\n" + head.encode() + b"\r\n" + content + b"\r\n"


def _form(*parts: bytes) -> bytes:
    return b"".join(parts) + b"--sep--\r\n"


FILE = _part('name="file"; filename="clip.mp4"', b"0123456789", "video/mp4")


def _read(body: bytes, step: int = 7):
    reader = FormReader(iter([body[at : at + step] for at in range(0, len(body), step)]), b"sep")
    files = []
    reader.read(lambda part: files.append((part.file_name, part.content_type, b"".join(part.pieces))))
    return files, reader.fields


def _problem_of(body: bytes, step: int = 7) -> str:
    with pytest.raises(Problem) as refused:
        _read(body, step)
    return refused.value.kind.slug


@pytest.mark.parametrize("step", [1, 2, 3, 7, 64, 10_000])
def test_file_and_fields_come_out_whatever_the_pieces(step):
    body = _form(_part('name="ownerId"', b"u-1"), FILE, _part('name="durationSec"', b"12"), _part('name="other"', b"x"))
    assert _read(body, step) == (
        [("clip.mp4", "video/mp4", b"0123456789")],
        {"ownerId": "u-1", "durationSec": "12"},
    )


#: Content made of what delimiters are made of, so that pieces end inside of them.
LOOKALIKES = st.lists(st.sampled_from([b"\r", b"\n", b"\r\n", b"-", b"--", b"--se", b"sep", b"x"])).map(b"".join)


@given(LOOKALIKES | st.binary(max_size=2000), st.integers(1, 300))
def test_any_content_comes_out_as_it_went_in(content, step):
    if b"--sep" in content:
        return
    body = _form(_part('name="file"; filename="a"', content, "video/mp4"))
    assert _read(body, step)[0] == [("a", "video/mp4", content)]


@given(st.binary(max_size=400), st.integers(1, 50))
def test_any_bytes_end_in_a_form_or_a_problem(body, step):
    try:
        _read(b"--sep\r\n" + body, step)
    except Problem as problem:
        assert problem.kind.status in (400, 422)


def test_a_name_in_utf_8_comes_out_right():
    name = 'name="file"; filename="grüne 🏖.mp4"'
    assert _read(_form(_part(name, b"x", "video/mp4")))[0][0][0] == "grüne 🏖.mp4"


def test_a_form_without_a_file_is_refused():
    assert _problem_of(_form(_part('name="ownerId"', b"u-1"))) == "invalid-fields"


def test_two_files_are_refused():
    assert _problem_of(_form(FILE, FILE)) == "invalid-fields"


def test_a_field_twice_is_refused():
    assert _problem_of(_form(_part('name="ownerId"', b"a"), _part('name="ownerId"', b"b"), FILE)) == "invalid-fields"


def test_a_file_that_comes_as_text_is_refused():
    assert _problem_of(_form(_part('name="file"', b"x"))) == "invalid-fields"


def test_a_huge_field_is_refused():
    assert _problem_of(_form(_part('name="ownerId"', b"x" * 5000), FILE)) == "invalid-fields"


def test_a_field_that_is_not_utf_8_is_refused():
    assert _problem_of(_form(_part('name="ownerId"', b"\xff"), FILE)) == "invalid-fields"


def test_a_crowd_of_parts_is_refused():
    assert _problem_of(_form(*[_part(f'name="n{n}"', b"") for n in range(50)], FILE)) == "invalid-fields"


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"no form at all",
        b"--sep\r\n",
        FILE,
        FILE[:-8],
        b"--sep\r\nContent-Type: video/mp4\r\n\r\nx\r\n--sep--\r\n",
        b'--sep\r\nContent-Disposition: form-data; name="\xff"\r\n\r\nx\r\n--sep--\r\n',
        b"x" * 200_000,
        b"--sep\r\nX-Long: " + b"y" * 200_000,
    ],
    ids=lambda body: repr(body[:30]),
)
def test_what_is_no_form_is_refused_with_400_in_bounded_memory(body):
    assert _problem_of(body, 1000) == "malformed-request"


@pytest.mark.parametrize(
    "header", ["multipart/form-data", "multipart/form-data; boundary=", "multipart/form-data; boundary=" + "x" * 201]
)
def test_a_form_needs_a_boundary(header):
    with pytest.raises(Problem):
        boundary_of(header)
