"""What a worker pays for this library while it waits."""

import other_process

_IDLE = """
import sys
from media_common.hls import publish_master
from media_common.job import ChannelJob
from media_common.settings import MediaSettings, StoreSettings
from media_common.store import open_store
store = open_store(StoreSettings(store_url=f"file://{sys.argv[1]}/store"))
job = ChannelJob(store, "thumbnail", lambda task: {}, settings=MediaSettings(scratch_dir=f"{sys.argv[1]}/scratch"))
store.put_json("assets/a1/asset.json", {})
store.get_json("assets/a1/asset.json")
heavy = [name for name in ("numpy", "requests", "botocore", "av", "multiprocessing") if name in sys.modules]
pages = int(open("/proc/self/statm").read().split()[1])
print(pages * 4096 // 1024 // 1024, *heavy)
"""


def test_an_idle_worker_leaves_room_for_the_broker_client_under_60_mb(tmp_path: object) -> None:
    mebibytes, *heavy = other_process.run(_IDLE, str(tmp_path)).split()

    assert int(mebibytes) <= 50
    assert heavy == []
