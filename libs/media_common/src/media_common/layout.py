"""Names of objects in the store. Pure; the one place where a key is put together.

    assets/<assetId>/source                     the uploaded file, as it came
    assets/<assetId>/asset.json                 what is known of it
    assets/<assetId>/<channel>/<output>         what a channel made
    assets/<assetId>/<channel>/progress.json    how far it is
    assets/<assetId>/<channel>/result.json      the commit point: written last
    assets/<assetId>/<channel>/failure.json     why it gave up
    assets/<assetId>/<channel>/attempts.json    tries that failed on the way
    assets/<assetId>/<channel>/replay.json      which failure's message was put back since
    assets/<assetId>/<channel>/claim.json       who is putting outputs in place right now
    simulated/<assetId>                         what is known of an asset that has no file and exists only as load

Every part is checked here, so that no name a stranger chose can leave its folder.
"""

import re

ASSETS = "assets/"
SIMULATED = "simulated/"
ASSET_ID_PATTERN = r"^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$"
CHANNEL_PATTERN = r"^[a-z][a-z0-9-]{0,62}$"
#: One step of an output's path; outputs are named by our own code, so the set can be small.
SEGMENT_PATTERN = r"^[A-Za-z0-9_][A-Za-z0-9._-]{0,127}$"

PROGRESS, RESULT, FAILURE, CLAIM = "progress.json", "result.json", "failure.json", "claim.json"
REPLAY, ATTEMPTS = "replay.json", "attempts.json"
#: Names in a channel's folder that are about the work and never its output.
BOOKKEEPING = frozenset({PROGRESS, RESULT, FAILURE, ATTEMPTS, REPLAY, CLAIM})

_asset_id = re.compile(ASSET_ID_PATTERN.removesuffix("$") + r"\Z")  # "$" would let a newline through
_channel = re.compile(CHANNEL_PATTERN.removesuffix("$") + r"\Z")
_segment = re.compile(SEGMENT_PATTERN.removesuffix("$") + r"\Z")


def _checked(pattern: re.Pattern[str], what: str, value: str) -> str:
    if not pattern.match(value):
        raise ValueError(f"{value!r} is not {what}")
    return value


def is_asset_id(value: str) -> bool:
    """Tell whether this can name an asset."""
    return _asset_id.match(value) is not None


def is_output_name(name: str) -> bool:
    """Tell whether this is the relative name of an output, such as ``720p/index.m3u8``."""
    return name not in BOOKKEEPING and all(_segment.match(step) for step in name.split("/"))


def asset_prefix(asset_id: str) -> str:
    """Give the folder of an asset, with its slash. Raises ValueError on a bad id."""
    return f"{ASSETS}{_checked(_asset_id, 'an asset id', asset_id)}/"


def source_key(asset_id: str) -> str:
    """Give the key of the uploaded file."""
    return asset_prefix(asset_id) + "source"


def asset_key(asset_id: str) -> str:
    """Give the key of the asset's own record."""
    return asset_prefix(asset_id) + "asset.json"


def simulated_key(asset_id: str) -> str:
    """Give the key of the record (`MediaStore.create_record`) of an asset without a file."""
    return SIMULATED + _checked(_asset_id, "an asset id", asset_id)


def channel_prefix(asset_id: str, channel: str) -> str:
    """Give the folder of one channel's work on an asset, with its slash."""
    return f"{asset_prefix(asset_id)}{_checked(_channel, 'a channel', channel)}/"


def output_key(asset_id: str, channel: str, name: str) -> str:
    """Give the key of an output. Raises ValueError for a name that is none (``..``, ``result.json``)."""
    if not is_output_name(name):
        raise ValueError(f"{name!r} is not the name of an output")
    return channel_prefix(asset_id, channel) + name


def progress_key(asset_id: str, channel: str) -> str:
    """Give the key of the channel's progress."""
    return channel_prefix(asset_id, channel) + PROGRESS


def result_key(asset_id: str, channel: str) -> str:
    """Give the key of the channel's result, the commit point."""
    return channel_prefix(asset_id, channel) + RESULT


def failure_key(asset_id: str, channel: str) -> str:
    """Give the key of the channel's failure."""
    return channel_prefix(asset_id, channel) + FAILURE


def attempts_key(asset_id: str, channel: str) -> str:
    """Give the key of the tries that failed on the way."""
    return channel_prefix(asset_id, channel) + ATTEMPTS


def replay_key(asset_id: str, channel: str) -> str:
    """Give the key of the note that a dead letter was put back."""
    return channel_prefix(asset_id, channel) + REPLAY


def claim_key(asset_id: str, channel: str) -> str:
    """Give the key that says which worker is putting outputs in place."""
    return channel_prefix(asset_id, channel) + CLAIM
