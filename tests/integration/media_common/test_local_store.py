import errno
import os
import stat
from pathlib import Path

import other_process
import pytest

from media_common.errors import StoreFull, StoreUnavailable
from media_common.settings import StoreSettings
from media_common.store import FileWriter, MediaStore, open_store

KEY = "assets/a1/source"


def _files(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if not path.is_dir()]


_UPLOAD_UNTIL_KILLED = """
import os, sys, time
if sys.argv[2] == "named":
    del os.O_TMPFILE
from media_common.settings import StoreSettings
from media_common.store import open_store
writer = open_store(StoreSettings(store_url=f"file://{sys.argv[1]}")).writer("assets/a1/source", "video/mp4")
writer.write(b"x" * 30_000_000)
print("half", flush=True)
time.sleep(60)
"""


def test_a_killed_process_leaves_no_trace_of_its_upload(tmp_path: Path) -> None:
    process = other_process.start(_UPLOAD_UNTIL_KILLED, tmp_path / "store", "nameless")
    assert other_process.said(process) == "half"
    process.kill()
    process.communicate()

    assert _files(tmp_path) == []


def test_where_files_need_a_name_a_stale_one_is_never_taken_for_an_object(tmp_path: Path) -> None:
    process = other_process.start(_UPLOAD_UNTIL_KILLED, tmp_path / "store", "named")
    assert other_process.said(process) == "half"
    process.kill()
    process.communicate()
    store = open_store(StoreSettings(store_url=f"file://{tmp_path}/store"))

    stale = _files(tmp_path)
    assert len(stale) == 1
    assert list(store.list_keys("assets/")) == []
    assert store.list_folder("assets/a1/").names == ()
    assert store.head(KEY) is None
    with pytest.raises(ValueError, match="is no key"):
        store.put_bytes(f"assets/a1/{stale[0].name}", b"x")
    store.delete_prefix("assets/a1/")
    assert _files(tmp_path) == []


@pytest.mark.parametrize("nameless", [True, False])
def test_files_are_staged_alike_with_and_without_a_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, nameless: bool
) -> None:
    if not nameless:
        monkeypatch.delattr(os, "O_TMPFILE")
    store = open_store(StoreSettings(store_url=f"file://{tmp_path}/store"))

    assert store.put_bytes(KEY, b"first", if_absent=True)
    assert not store.put_bytes(KEY, b"second", if_absent=True)
    assert store.put_bytes(KEY, b"third", durable=True)
    with store.writer(KEY, "video/mp4") as writer:
        writer.write(b"given up")

    assert [path.read_bytes() for path in _files(tmp_path)] == [b"third"]
    assert list(store.list_keys("assets/")) == [KEY]


def test_objects_have_the_rights_that_the_umask_leaves(local_store: MediaStore, tmp_path: Path) -> None:
    old = os.umask(0o027)
    try:
        local_store.put_bytes(KEY, b"x")
    finally:
        os.umask(old)

    assert stat.S_IMODE((tmp_path / "store" / KEY).stat().st_mode) == 0o640


def test_a_link_is_not_moved_into_the_store(local_store: MediaStore, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("/etc/passwd")

    with pytest.raises(ValueError, match="no regular file"):
        local_store.put_file(KEY, tmp_path / "link", "video/mp4", consume=True)
    assert local_store.head(KEY) is None


_WRITE_WITHOUT_ROOM = """
import resource, sys
from pathlib import Path
from media_common.errors import StoreFull
from media_common.settings import StoreSettings
from media_common.store import open_store
store = open_store(StoreSettings(store_url=f"file://{sys.argv[1]}"))
Path(sys.argv[2]).write_bytes(b"x" * 3_000_000)
resource.setrlimit(resource.RLIMIT_FSIZE, (1_000_000, 1_000_000))
def upload():
    with store.writer("assets/a1/source", "video/mp4") as writer:
        for _ in range(30):
            writer.write(b"x" * 100_000)
        writer.commit()
for put in (
    upload,
    lambda: store.put_bytes("assets/a1/x", b"x" * 3_000_000),
    lambda: store.put_file("assets/a1/y", Path(sys.argv[2]), "video/mp4"),
):
    try:
        put()
        print("stored")
    except StoreFull as error:
        print("full:", error)
"""


def test_a_store_without_room_says_so_and_keeps_nothing(tmp_path: Path) -> None:
    said = other_process.run(_WRITE_WITHOUT_ROOM, tmp_path / "store", tmp_path / "made").splitlines()

    assert [line.split(":")[0] for line in said] == ["full", "full", "full"]
    assert _files(tmp_path / "store") == []


def test_an_error_of_the_kernel_is_told_as_the_stores(local_store: MediaStore, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_room(_fd: int, _data: object) -> int:
        raise OSError(28, "No space left on device")

    with local_store.writer(KEY, "video/mp4") as writer:
        monkeypatch.setattr(os, "write", no_room)
        with pytest.raises(StoreFull, match="No space left"):
            writer.write(b"x")


def test_a_folder_that_cannot_be_made_or_is_gone_is_an_unavailable_store(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"x")
    with pytest.raises(StoreUnavailable, match="cannot be made"):
        open_store(StoreSettings(store_url=f"file://{tmp_path}/file/store"))

    store = open_store(StoreSettings(store_url=f"file://{tmp_path}/store"))
    (tmp_path / "store").rmdir()
    with pytest.raises(StoreUnavailable, match="is not there"):
        store.check()


@pytest.mark.parametrize("name", ["with space", "a:b", "100%", "-dash", "ümlaut"])
def test_the_folder_may_have_any_name(tmp_path: Path, name: str) -> None:
    store = open_store(StoreSettings(store_url=f"file://{tmp_path}/{name.replace('%', '%25').replace(' ', '%20')}"))
    store.put_bytes(KEY, b"x")

    assert (tmp_path / name / KEY).read_bytes() == b"x"
    assert store.local_path(KEY) == tmp_path / name / KEY
    assert list(store.list_keys("assets/")) == [KEY]
    assert store.signed_url(KEY, 60) is None


def test_an_upload_needs_no_memory_of_its_size(tmp_path: Path) -> None:
    grown_mib = int(other_process.run(other_process.UPLOAD_MUCH, f"file://{tmp_path}/store", "300"))

    assert grown_mib < 10


def _piped(store: MediaStore, content: bytes) -> bytes:
    """Write through a pipe, between two plain writes; gives what was read back meanwhile."""
    outlet, inlet = os.pipe()
    try:
        with store.writer(KEY, "video/mp4") as writer:
            assert isinstance(writer, FileWriter)
            writer.write(b"before ")
            for start in range(0, len(content), 50_000):
                size = os.write(inlet, content[start : start + 50_000])
                writer.write_from(outlet, size)
            seen = bytearray(7 + len(content))
            assert writer.read_back(memoryview(seen), 0) == len(seen)
            writer.write(b" after")
            writer.commit()
    finally:
        os.close(outlet)
        os.close(inlet)
    return bytes(seen)


@pytest.mark.parametrize("spliced", [True, False])
def test_bytes_from_a_pipe_are_as_good_as_written_ones(
    local_store: MediaStore, monkeypatch: pytest.MonkeyPatch, spliced: bool
) -> None:
    def refuse(*_: object) -> int:
        raise OSError(errno.EINVAL, "Invalid argument")

    if not spliced:
        monkeypatch.setattr(os, "splice", refuse)
    content = os.urandom(500_000)

    assert _piped(local_store, content) == b"before " + content
    assert local_store.get_bytes(KEY) == b"before " + content + b" after"


_POUR_WITHOUT_ROOM = """
import os, resource, sys
from media_common.errors import StoreFull
from media_common.settings import StoreSettings
from media_common.store import open_store
resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
outlet, inlet = os.pipe()
try:
    with open_store(StoreSettings(store_url=f"file://{sys.argv[1]}")).writer("assets/a1/source", "video/mp4") as writer:
        for _ in range(5):
            writer.write_from(outlet, os.write(inlet, b"x" * 50_000))
except StoreFull as error:
    print("full:", error)
"""


def test_a_store_without_room_says_so_to_a_pipe_too(tmp_path: Path) -> None:
    assert other_process.run(_POUR_WITHOUT_ROOM, tmp_path / "store").startswith("full: writing assets/a1/source")
    assert _files(tmp_path / "store") == []


_USE_AFTER_FORK = """
import os, sys
from media_common.settings import StoreSettings
from media_common.store import open_store
store = open_store(StoreSettings(store_url=f"file://{sys.argv[1]}"))
if sys.argv[2] == "used":
    store.head("assets/a1/source")
if os.fork() == 0:
    try:
        store.put_bytes("assets/a1/source", b"x")
        print(store.head("assets/a1/source").size, flush=True)
    except RuntimeError as error:
        print("refused:", error, flush=True)
    os._exit(0)
os.wait()
"""


def test_a_store_opened_before_a_fork_works_after_it(tmp_path: Path) -> None:
    assert other_process.run(_USE_AFTER_FORK, tmp_path, "unused") == "1"


def test_a_store_used_before_a_fork_refuses_instead_of_hanging(tmp_path: Path) -> None:
    assert "use it only after the fork" in other_process.run(_USE_AFTER_FORK, tmp_path, "used")


def test_a_folder_and_what_is_below_a_file_are_no_objects(tmp_path: Path) -> None:
    store = open_store(StoreSettings(store_url=tmp_path.as_uri()))
    store.put_bytes("assets/a1/source", b"x")

    assert store.get_bytes("assets/a1") is None
    assert store.get_bytes("assets/a1/source/deeper") is None
    assert store.get_bytes("assets/a1/source") == b"x"
