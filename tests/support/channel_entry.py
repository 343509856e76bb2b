"""An entry of a channels file for tests that need a channel and care for little about it."""


def channel_entry(name: str, *, max_length: int | None = None) -> str:
    """Write a channel with its habits in the profile ``media``: one job at a time, one quick retry."""
    return f"""
[channels.{name}]
delivery_limit = 3
job_time_limit_s = 60
{"" if max_length is None else f"max_length = {max_length}"}

[profiles.media.{name}]
prefetch = 1
concurrency = 1
retries = {{ count = 1, initial_ms = 1, multiplier = 1.0, max_ms = 1 }}
workers = {{ min = 1, max = 2 }}
messages_per_worker = 1
simulated = {{ latency_ms = 1, failure_rate = 0.0 }}
"""
