"""The fleet on a cluster: what installs it, loads it, hurts it, watches it, and compares what came of it."""
