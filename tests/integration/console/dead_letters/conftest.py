"""Fixtures of the tests of dead letters."""

from dead_letter_fixtures import channel, settings, spec, store

__all__ = ["channel", "settings", "spec", "store"]
