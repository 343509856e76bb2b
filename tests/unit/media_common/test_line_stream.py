from hypothesis import given
from hypothesis import strategies as st

from media_common.line_stream import LineStream, Tail


def _lines(chunks: list[bytes], limit: int = 4096) -> list[str]:
    seen: list[str] = []
    stream = LineStream(seen.append, limit)
    for chunk in chunks:
        stream.feed(chunk)
    stream.close()
    return seen


def test_a_line_cut_by_the_pipe_arrives_whole() -> None:
    assert _lines([b"out_time", b"_us=1\nprog", b"ress=end"]) == ["out_time_us=1", "progress=end"]


def test_carriage_returns_end_lines_too() -> None:
    assert _lines([b"10 %\r20 %\r\n30 %"]) == ["10 %", "20 %", "30 %"]


def test_a_line_without_end_is_cut_and_not_kept_in_memory() -> None:
    seen: list[str] = []
    stream = LineStream(seen.append, limit=10)
    for _ in range(1000):
        stream.feed(b"x" * 100)
    stream.feed(b"\nnext\n")

    assert seen == ["x" * 10, "next"]


@given(st.lists(st.binary(max_size=30), max_size=12))
def test_the_cuts_of_the_pipe_do_not_matter(chunks: list[bytes]) -> None:
    assert _lines(chunks) == _lines([b"".join(chunks)])


def test_a_tail_keeps_the_last_lines() -> None:
    tail = Tail(lines=3)
    for number in range(10):
        tail.append(str(number))

    assert tail.text() == "7\n8\n9"
