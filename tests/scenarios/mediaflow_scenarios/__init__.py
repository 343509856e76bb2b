"""The seven scenarios, run against a local fleet of their own: `make scenarios`."""
