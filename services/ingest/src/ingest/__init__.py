"""Upload over HTTP: store the file, publish once, answer 202."""
