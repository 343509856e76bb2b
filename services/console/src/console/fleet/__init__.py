"""The first page: the fleet as it is now."""
