"""Measures Mediaflow against plain programs that do the same work: `make bench`."""
