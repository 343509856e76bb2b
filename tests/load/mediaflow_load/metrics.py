"""The run's numbers for Prometheus, at its own /metrics. Durations in seconds."""

from prometheus_client import Counter, Gauge, Histogram, start_http_server

from mediaflow_load.answers import OUTCOMES

_BUCKETS = (0.005, 0.01, 0.02, 0.03, 0.05, 0.07, 0.1, 0.15, 0.2, 0.3, 0.5, 0.75, 1, 2, 5, 10, 30)

REQUESTS = Counter("mediaflow_load_requests", "Requests by what the answer means", ["outcome"])
UPLOADS = Counter("mediaflow_load_uploads", "Uploads by how they ended", ["outcome"])
RESPONSE_SECONDS = Histogram(
    "mediaflow_load_response_seconds", "Time from sending a request to its answer", ["outcome"], buckets=_BUCKETS
)
USERS = Gauge("mediaflow_load_users", "Users: requests that may be under way at once")
TARGET_RATE = Gauge("mediaflow_load_target_rate", "Uploads per second that the profile wants now")
IN_FLIGHT = Gauge("mediaflow_load_in_flight", "Requests without an answer yet")
DUE = Gauge("mediaflow_load_due", "Uploads that are due and wait for a free user")
COMING_AGAIN = Gauge("mediaflow_load_coming_again", "Uploads that were pushed back and wait for their Retry-After")

# A panel of failures shows 0 where there are none.
for _outcome in OUTCOMES:
    REQUESTS.labels(_outcome)
for _outcome in ("accepted", "failed", "given_up"):
    UPLOADS.labels(_outcome)


def serve_metrics(host: str, port: int) -> int:
    """Serve /metrics until the process ends; gives the port. Raises OSError when it is taken."""
    server, _ = start_http_server(port, host)
    return int(server.server_port)
