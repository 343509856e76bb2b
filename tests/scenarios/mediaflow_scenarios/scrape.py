"""Prometheus metrics, read as a scrape reads them."""

from urllib.request import urlopen

from prometheus_client.parser import text_string_to_metric_families

_PATIENCE_S = 10.0


class Samples:
    """The samples of one scrape."""

    def __init__(self, text: str) -> None:
        self._samples = [sample for family in text_string_to_metric_families(text) for sample in family.samples]

    def total(self, name: str, **labels: str) -> float:
        """Sum the samples of this name that carry these labels."""
        return sum(
            sample.value for sample in self._samples if sample.name == name and labels.items() <= sample.labels.items()
        )


def scrape(address: str) -> Samples:
    """Read `address`/metrics (http://host:port). Raises OSError."""
    with urlopen(f"{address}/metrics", timeout=_PATIENCE_S) as answer:
        return Samples(answer.read().decode())
