"""The front door's own metrics; the publisher's are in mq_common. Durations in seconds, sizes in bytes."""

import structlog
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.multiprocess import MultiProcessCollector, mark_process_dead

log = structlog.get_logger()

_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1800)

UPLOADS = Counter("mediaflow_ingest_uploads", "Uploads answered 202", ["form"])
UPLOAD_BYTES = Counter("mediaflow_ingest_upload_bytes", "Bytes of accepted uploads' bodies", ["form"])
UPLOAD_SECONDS = Histogram(
    "mediaflow_ingest_upload_seconds", "Time from the request's head to the answer 202", ["form"], buckets=_SECONDS
)
REFUSALS = Counter("mediaflow_ingest_refusals", "Requests answered with a problem", ["problem"])
RECEIVING = Gauge("mediaflow_ingest_uploads_receiving", "Files coming in now", multiprocess_mode="livesum")
# Back-pressure, where a capacity is set. Every process reads the depths; the newest reading is the one that is told.
CAPACITY = Gauge("mediaflow_ingest_capacity", "Messages the deepest queue may hold", multiprocess_mode="livemax")
DEEPEST_QUEUE = Gauge(
    "mediaflow_ingest_deepest_queue_messages",
    "Messages waiting in the deepest queue, as the door knows it",
    multiprocess_mode="livemostrecent",
)
ACCEPT_FRACTION = Gauge(
    "mediaflow_ingest_accept_fraction", "Share of the uploads that the door lets in", multiprocess_mode="livemostrecent"
)
SHED = Counter("mediaflow_ingest_shed", "Uploads and bursts refused because the queues are full or nearly so")
DEPTH_STALE = Gauge(
    "mediaflow_ingest_depth_stale", "Processes without a current reading of the depths", multiprocess_mode="livesum"
)
DEPTH_POLL_FAILURES = Counter("mediaflow_ingest_depth_poll_failures", "Looks at the queues' depths that failed")

OUTBOX_ENTRIES = Gauge("mediaflow_outbox_entries", "Events that wait in the outbox", multiprocess_mode="livemostrecent")
OUTBOX_OLDEST_SECONDS = Gauge(
    "mediaflow_outbox_oldest_seconds",
    "Age of the oldest event in the outbox, when it was counted",
    multiprocess_mode="livemostrecent",
)
OUTBOX_RELAYING = Gauge("mediaflow_outbox_relaying", "1 where the relay holds the lease", multiprocess_mode="livesum")
OUTBOX_HELD = Counter("mediaflow_outbox_held", "Events put into the outbox", ["reason"])
OUTBOX_RELAYED = Counter("mediaflow_outbox_relayed", "Events that the relay published, confirmed")
OUTBOX_REFUSED = Counter("mediaflow_outbox_refused", "Tries of the relay that were not confirmed", ["outcome"])
OUTBOX_UNREADABLE = Counter("mediaflow_outbox_unreadable", "Entries of the outbox that can't be read")


class _FormMetrics:
    """The three metrics of one form, looked up once and not per request."""

    def __init__(self, form: str) -> None:
        self.uploads = UPLOADS.labels(form)
        self.bytes = UPLOAD_BYTES.labels(form)
        self.seconds = UPLOAD_SECONDS.labels(form)


_BY_FORM = {form: _FormMetrics(form) for form in ("raw", "multipart", "json")}


def upload_accepted(form: str, size: int, seconds: float) -> None:
    """Count an accepted upload."""
    metrics = _BY_FORM[form]
    metrics.uploads.inc()
    metrics.bytes.inc(size)
    metrics.seconds.observe(seconds)


def exposition() -> tuple[bytes, str]:
    """Give what a scrape gets, of all worker processes together, and its content type."""
    registry = CollectorRegistry()
    MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
    return generate_latest(registry), CONTENT_TYPE_LATEST


def forget_process(pid: int) -> None:
    """Take the gauges of a worker that has ended out of the sum; its counters stay, or the sums would go back."""
    mark_process_dead(pid)  # type: ignore[no-untyped-call]
