"""The one password of the console."""

import hashlib
import hmac


def is_password(given: str, wanted: str) -> bool:
    """Whether ``given`` is the password; takes as long for a wrong one, whatever its length and first letters."""
    return hmac.compare_digest(_digest(given), _digest(wanted))


def _digest(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
