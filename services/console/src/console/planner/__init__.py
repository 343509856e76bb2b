"""What this fleet would do under another load."""
