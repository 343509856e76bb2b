"""The front door: an upload goes into the store, one event goes to the broker, the answer is 202."""
