import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from media_common.shared_records import RECORDS_PER_FILE, SharedRecords, read


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "records"


def _names(folder):
    return [path.name for path in folder.iterdir()]


def test_a_record_is_there_under_its_name_and_only_under_it(folder):
    records = SharedRecords()
    assert records.create(f"{folder}/a", b"one") is None
    assert records.create(f"{folder}/ab", b"two") is None
    assert (read(f"{folder}/a"), read(f"{folder}/ab"), read(f"{folder}/b")) == (b"one", b"two", None)


def test_the_first_to_take_a_name_has_it_whoever_asks(folder):
    one, other = SharedRecords(), SharedRecords()
    assert one.create(f"{folder}/a", b"first") is None
    assert other.create(f"{folder}/a", b"second") == b"first"
    assert one.create(f"{folder}/a", b"third") == b"first"
    assert read(f"{folder}/a") == b"first"


def test_of_many_at_once_one_gets_the_name_and_all_know_whose_it_is(folder):
    sets, ready = [SharedRecords() for _ in range(3)], threading.Barrier(12)

    def create(number):
        data = str(number).encode()
        ready.wait()
        return sets[number % len(sets)].create(f"{folder}/a", data) or data

    with ThreadPoolExecutor(12) as pool:
        said = set(pool.map(create, range(12)))
    assert said == {read(f"{folder}/a")}


def test_many_records_share_a_file_and_none_grows_beyond_its_number(folder):
    records = SharedRecords()
    for number in range(3 * RECORDS_PER_FILE):
        records.create(f"{folder}/r-{number}", b"x")
    names = [name for name in _names(folder) if name.startswith("r-")]
    assert len(names) == 3 * RECORDS_PER_FILE
    assert len({(folder / name).stat().st_ino for name in names}) == 3
    assert all(read(f"{folder}/{name}") == b"x" for name in names)


def test_a_writer_killed_in_mid_record_leaves_no_record(folder):
    SharedRecords().create(f"{folder}/a", b"whole")
    (folder / "b").write_bytes(b"a other\nb hal")
    assert read(f"{folder}/b") is None


def test_a_name_whose_record_was_lost_is_filled_again_once(folder):
    folder.mkdir()
    (folder / "a").touch()
    one, other = SharedRecords(), SharedRecords()
    one.create(f"{folder}/b", b"x")
    assert one.create(f"{folder}/a", b"again") is None
    assert other.create(f"{folder}/a", b"late") == b"again"
    assert read(f"{folder}/a") == b"again"
    assert sorted(name for name in _names(folder) if "#" not in name) == ["a", "b"]


def test_a_record_is_one_line(folder):
    with pytest.raises(ValueError, match="one line"):
        SharedRecords().create(f"{folder}/a", b"two\nlines")
