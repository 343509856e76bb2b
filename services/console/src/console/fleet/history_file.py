"""Where the history survives a restart of the console: one small file, written whole every ten seconds."""

import os
from pathlib import Path

import orjson
import structlog

from console.fleet.fleet_watch import FleetWatch
from console.fleet.history import SERIES, History, columns_of

log = structlog.get_logger()

#: Changes when the file's form does: an older one is left alone then.
_FORM = [1, *SERIES]


class HistoryFile:
    """The file; trouble with it is logged and harms nothing else."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / "fleet-history.json"
        self._failing = False

    def restore(self, watch: FleetWatch, history: History, now: float) -> None:
        """Fill the history and the memory of arrivals with what was saved, as far as it is of use at ``now``."""
        try:
            saved = orjson.loads(self._path.read_bytes())
            if saved["form"] != _FORM:
                return
            watch.restore(saved["arrivals"])
            history.restore(saved["history"], now)
        except FileNotFoundError:
            return
        except (OSError, KeyError, TypeError, ValueError, IndexError) as error:
            log.warning("history_unreadable", file=str(self._path), error=repr(error), tip="it begins anew")

    def save(self, watch: FleetWatch, history: History) -> None:
        """Write everything, atomically."""
        saved = {"form": _FORM, "arrivals": watch.state(), "history": columns_of(history.since())}
        beside = self._path.with_suffix(".new")
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            beside.write_bytes(orjson.dumps(saved))
            os.replace(beside, self._path)  # noqa: PTH105 - Path.replace is the same; this names what it is
            self._failing = False
        except OSError as error:
            if not self._failing:
                log.warning("history_not_saved", file=str(self._path), error=str(error), tip="it goes on in memory")
            self._failing = True
