"""The fleet of stand-ins."""

from stub_fleet import stub_fleet, until

__all__ = ["stub_fleet", "until"]
