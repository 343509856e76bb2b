"""Programs that are measured or that measure. Each runs in a process of its own and ends with one line of JSON."""
