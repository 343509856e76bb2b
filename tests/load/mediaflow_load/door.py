"""The front door before the run: is it there, and does it take what is going to be sent?"""

import http.client
import json
import time
import urllib.error
import urllib.request

from mediaflow_load.settings import BadSettings, LoadSettings

#: Seconds between two looks.
_EVERY_S = 0.5


class DoorShut(Exception):
    """The front door was not ready in time; the message says what it answered last."""


def wait_for_door(settings: LoadSettings) -> None:
    """Wait until the front door is ready. Raises DoorShut; BadSettings where it takes no simulated assets."""
    host = settings.host.rstrip("/")
    deadline = time.monotonic() + settings.start_limit_s
    while (trouble := _ask(f"{host}/readyz")[1]) and time.monotonic() < deadline:
        time.sleep(_EVERY_S)
    if trouble:
        raise DoorShut(f"{host} is not ready after {settings.start_limit_s:g} s: {trouble}")
    capabilities, trouble = _ask(f"{host}/capabilities")
    if settings.clips is None and not trouble and not json.loads(capabilities).get("simulated"):
        raise BadSettings(
            f"MEDIAFLOW_LOAD_HOST: {host} takes no simulated assets: start ingest with"
            " MEDIAFLOW_INGEST_ALLOW_SIMULATED=true, or upload clips (MEDIAFLOW_LOAD_CLIPS)"
        )


def _ask(url: str) -> tuple[bytes, str]:
    """Give the answer's body, and what was wrong: empty when nothing was."""
    try:
        with urllib.request.urlopen(url, timeout=5) as answer:
            return answer.read(), ""
    except urllib.error.HTTPError as error:
        return b"", f"{error.code} {error.reason}"
    except (OSError, http.client.HTTPException) as error:
        return b"", str(getattr(error, "reason", error))
