"""Moves dead letters back to their one queue, and shows what is in a dead-letter queue."""
