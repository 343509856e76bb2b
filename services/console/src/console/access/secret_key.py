"""The key that signs sessions: given, or made once and kept."""

import contextlib
import hashlib
import hmac
import os
import secrets
from pathlib import Path

import structlog

from console.settings import ConsoleSettings
from mq_common.errors import ConfigurationError

log = structlog.get_logger()

_FILE = "secret.key"
_BYTES = 32


def signing_key(settings: ConsoleSettings) -> bytes:
    """Give the key for this console's sessions. With another password it is another key, so old sessions end.

    Raises ConfigurationError when the state folder can't be used.
    """
    if settings.secret_key is not None:
        key = settings.secret_key.get_secret_value().encode()
    elif settings.state_dir is not None:
        key = _kept(settings.state_dir)
    else:
        if settings.password is not None:
            log.warning(
                "secret_key_not_kept",
                tip="set MEDIAFLOW_CONSOLE_SECRET_KEY or MEDIAFLOW_CONSOLE_STATE_DIR: now a restart ends all sessions",
            )
        key = secrets.token_bytes(_BYTES)
    password = settings.password.get_secret_value() if settings.password else ""
    return hmac.new(key, b"sessions\0" + password.encode(), hashlib.sha256).digest()


def _kept(folder: Path) -> bytes:
    file = folder / _FILE
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        with contextlib.suppress(FileExistsError):
            _make(file)
        key = file.read_bytes()
    except OSError as error:
        raise ConfigurationError(f"MEDIAFLOW_CONSOLE_STATE_DIR: {file} can't be used: {error.strerror}") from None
    if len(key) != _BYTES:
        raise ConfigurationError(f"MEDIAFLOW_CONSOLE_STATE_DIR: {file} is no key of this console: remove it")
    if file.stat().st_mode & 0o077:
        raise ConfigurationError(f"MEDIAFLOW_CONSOLE_STATE_DIR: others may read {file}: chmod 600 it, or remove it")
    return key


def _make(file: Path) -> None:
    """Put a new key in place, whole or not at all. Raises FileExistsError when there is one."""
    draft = file.with_name(f".{_FILE}.{os.getpid()}.{secrets.token_hex(4)}")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as new:
            new.write(secrets.token_bytes(_BYTES))
        os.link(draft, file)
    finally:
        draft.unlink(missing_ok=True)
