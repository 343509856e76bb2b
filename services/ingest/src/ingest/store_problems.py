"""What a client is told when the store fails."""

from ingest.problems import STORE_FULL, STORE_UNAVAILABLE, Problem
from media_common.errors import MediaError, StoreFull


def store_problem(error: MediaError) -> Problem:
    """Give the problem of a store that is full (507) or can't be used (503)."""
    if isinstance(error, StoreFull):
        return Problem(STORE_FULL, f"{error}. Nothing was accepted; free some room and send it again.")
    return Problem(STORE_UNAVAILABLE, f"{error}. Nothing was accepted; send it again later.")
