"""A queue that teaches."""
