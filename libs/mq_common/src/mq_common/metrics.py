"""Every Prometheus metric of the messaging side, in one list. Durations in seconds."""

from prometheus_client import Counter, Gauge, Histogram

from mq_common._histogram import OneWriterHistogram

# Narrow enough to plan with: from bucket to bucket no more than twice the time.
# fmt: off
JOB_BUCKETS = (
    0.01, 0.015, 0.025, 0.035, 0.05, 0.075, 0.1, 0.15, 0.25, 0.35, 0.5, 0.75, 1, 1.5, 2, 2.5, 3.5, 5, 7.5, 10,
    15, 20, 30, 45, 60, 90, 120, 180, 300, 450, 600, 900, 1800, 3600, 7200,
)
# fmt: on
_LAG_BUCKETS = (0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60, 120, 300, 600, 1800, 3600, 21600, 86400)
_CONFIRM_BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5)

# Publisher. A returned message is confirmed too, so the two are counted apart.
PUBLISHED = Counter("mediaflow_published", "Messages by how the publish ended", ["outcome"])
CONFIRM_SECONDS = Histogram(
    "mediaflow_publish_confirm_seconds", "Time from submit to the broker's answer", buckets=_CONFIRM_BUCKETS
)
IN_FLIGHT = Gauge("mediaflow_publish_in_flight", "Messages sent and not answered yet", multiprocess_mode="livesum")
PUBLISHER_CONNECTED = Gauge(
    "mediaflow_publisher_connected", "Publishers that can publish now", multiprocess_mode="livesum"
)
PUBLISHER_BLOCKED = Gauge(
    "mediaflow_publisher_blocked",
    "Publishers that the broker holds back (memory or disk alarm)",
    multiprocess_mode="livesum",
)
PUBLISHER_RECONNECTS = Counter("mediaflow_publisher_reconnects", "Connections that the publisher lost and opened again")
CHANNEL_REOPENS = Counter(
    "mediaflow_publisher_channel_reopens", "Channels given up after a run of nacks or without any answer"
)

# Worker.
DELIVERIES = Counter("mediaflow_deliveries", "Messages taken from the queue", ["channel", "redelivered"])
JOBS = Counter("mediaflow_jobs", "Messages by how they ended", ["channel", "outcome"])
FAILED_ATTEMPTS = Counter("mediaflow_job_failed_attempts", "Attempts that failed", ["channel", "kind"])
JOB_SECONDS = OneWriterHistogram("mediaflow_job_seconds", "Time of a job, all its attempts and waits", JOB_BUCKETS)
LAG_SECONDS = OneWriterHistogram("mediaflow_job_lag_seconds", "Age of a message when its job started", _LAG_BUCKETS)
RUNNING = Gauge("mediaflow_jobs_running", "Jobs running now", ["channel"])
OLDEST_SECONDS = Gauge("mediaflow_jobs_oldest_seconds", "Age of the oldest running job, 0 when none runs", ["channel"])
GIVEN_BACK = Counter("mediaflow_given_back", "Messages returned to their queue on shutdown", ["channel"])
STALE = Counter("mediaflow_stale_settlements", "Jobs whose delivery belonged to a lost channel", ["channel"])
SETTLE_FRAMES = Counter("mediaflow_settle_frames", "Ack, reject and nack frames sent", ["channel"])
CONSUMER_CANCELS = Counter("mediaflow_consumer_cancels", "Times the broker cancelled the consumer", ["channel"])
WORKER_RECONNECTS = Counter("mediaflow_worker_reconnects", "Connections the worker lost", ["channel"])
CONSUMING = Gauge("mediaflow_worker_consuming", "1 while the worker is subscribed to its queue", ["channel"])
