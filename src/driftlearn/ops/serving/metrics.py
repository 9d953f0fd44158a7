"""Metrics for Prometheus."""

import time
from collections.abc import Iterator
from typing import Any

from driftlearn.ops.checkpoint.saved_model import MODEL
from driftlearn.ops.keyed.settings import STORE
from driftlearn.ops.serving.writer import Writer
from driftlearn.utils.optional import needed
from driftlearn.utils.version import __version__

SECONDS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0)
#: Help and labels of the gauges, which describe the model at the time of the request.
GAUGES: dict[str, tuple[str, tuple[str, ...]]] = {
    "build": ("Always 1.", ("version", "learner")),
    "ready": ("1 if the service predicts and learns.", ()),
    "model_rows": ("Rows that the model has learned.", ()),
    "keys": ("Keys that have a model.", ()),
    "rows_waiting": ("Rows that wait for their chunk to be complete.", ()),
    "requests_waiting": ("Requests that wait to be learned.", ()),
    "accuracy": (
        "Prequential accuracy of the model and of baselines on all or about 1000 recent rows.",
        ("source", "window"),
    ),
    "drifts": ("Changes of the error rate by direction.", ("direction",)),
    "events": ("Events by kind.", ("kind",)),
    "model_bytes": ("Bytes of the saved model, or of the store of models for keys.", ()),
    "log_bytes": ("Bytes of the write-ahead log.", ()),
    "saved_age_seconds": ("Seconds since the model was saved.", ()),
    "snapshot_age_seconds": ("Seconds since rows were learned that /predict does not use yet.", ()),
    "save_failed": ("1 if the last attempt to save the model failed.", ()),
}


class Metrics:
    """Request counters, and gauges that are computed on demand.

    Parameters
    ----------
    writer : Writer
        The writer.
    """

    def __init__(self, writer: Writer):
        self._client = client = needed("prometheus_client", "driftlearn serve")
        self._core = needed("prometheus_client.core", "driftlearn serve")
        self._writer = writer
        client.disable_created_metrics()  # these add a series of timestamps for each counter
        self._registry = registry = client.CollectorRegistry(auto_describe=False)
        self._requests = client.Counter(
            "driftlearn_requests", "Requests by route and status.", ["route", "status"],
            registry=registry,
        )  # fmt: skip
        self._seconds = client.Histogram(
            "driftlearn_request_seconds", "Duration of requests in seconds.", ["route"],
            buckets=SECONDS, registry=registry,
        )  # fmt: skip
        self._rows = client.Counter(
            "driftlearn_rows", "Rows since the process started.", ["operation"], registry=registry
        )
        for operation in ("predicted", "learned"):
            self._rows.labels(operation)
        registry.register(self)

    def count_request(self, route: str, status: int, seconds: float) -> None:
        """Count a request."""
        self._requests.labels(route, str(status)).inc()
        self._seconds.labels(route).observe(seconds)

    def count_rows(self, operation: str, rows: int) -> None:
        """Count rows that were predicted or learned."""
        self._rows.labels(operation).inc(rows)

    def text(self) -> bytes:
        """Return all metrics in the text format of Prometheus."""
        return self._client.generate_latest(self._registry)

    @property
    def content_type(self) -> str:
        """The content type of `text`."""
        return str(self._client.CONTENT_TYPE_LATEST)

    def collect(self) -> Iterator[Any]:
        """Yield the gauges; called by the Prometheus client."""
        values = self._values()
        for name, (about, labels) in GAUGES.items():
            found = values[name]
            family = self._core.GaugeMetricFamily(f"driftlearn_{name}", about, labels=labels)
            for key, value in found.items() if isinstance(found, dict) else [((), found)]:
                family.add_metric([key] if isinstance(key, str) else key, value)
            yield family

    def _values(self) -> dict[str, Any]:
        """Return the values of the gauges: numbers, or dicts by labels."""
        writer, reader, now = self._writer, self._writer.reader, time.monotonic()
        facts, since = reader.facts(), writer.behind_since
        paths = [writer.folder / name for name in (MODEL, STORE)]
        return {
            "build": {(__version__, facts.learner): 1},
            "ready": int(reader.is_ready and writer.is_alive),
            "model_rows": reader.n_rows,
            "keys": {} if facts.keys is None else facts.keys,
            "rows_waiting": facts.waiting,
            "requests_waiting": writer.n_waiting,
            "accuracy": facts.accuracy,
            "drifts": facts.drifts,
            "events": facts.events,
            "model_bytes": sum(path.stat().st_size for path in paths if path.exists()),
            "log_bytes": writer.log.size,
            "saved_age_seconds": now - writer.saved_at,
            "snapshot_age_seconds": 0.0 if since is None else now - since,
            "save_failed": int(bool(writer.trouble)),
        }
