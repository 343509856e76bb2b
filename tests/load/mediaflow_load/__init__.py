"""The load generator: a profile of uploads, sent on time, counted and judged."""
