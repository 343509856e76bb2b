"""Which files of a channel may be served: those its result lists, and the playlist that is written after it."""

import threading
from collections import OrderedDict

from media_common import layout
from media_common.hls import MASTER
from media_common.store import MediaStore

#: Results remembered; a player asks for hundreds of segments of the same one.
_REMEMBERED = 256


class PublishedNames:
    """Reads results and remembers the latest ones. Thread-safe."""

    def __init__(self, store: MediaStore) -> None:
        self._store = store
        self._lock = threading.Lock()
        self._names: OrderedDict[str, frozenset[str]] = OrderedDict()

    def has(self, asset_id: str, channel: str, name: str) -> bool:
        """Tell whether the name is an output of a channel that is done. Any text may be asked for."""
        if not layout.is_output_name(name):
            return False
        try:
            key = layout.result_key(asset_id, channel)
        except ValueError:
            return False
        with self._lock:
            known = self._names.get(key)
        if known is None or name not in known:
            known = self._read(key)
        return name in known

    def _read(self, key: str) -> frozenset[str]:
        result = self._store.get_json(key)
        if result is None:
            return frozenset()
        names = frozenset({MASTER, *(str(output["name"]) for output in result.get("outputs", ()))})
        with self._lock:
            self._names[key] = names
            self._names.move_to_end(key)
            while len(self._names) > _REMEMBERED:
                self._names.popitem(last=False)
        return names
