"""Metrics for Prometheus."""

import time
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

from driftlearn.ops.checkpoint.saved_model import MODEL, STORE
from driftlearn.ops.serving.writer import Writer
from driftlearn.utils.optional import needed
from driftlearn.utils.version import __version__

SECONDS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0)


class Metrics:
    """Request counters, and gauges that are computed on demand.

    Parameters
    ----------
    writer : Writer
        The writer.

    Attributes
    ----------
    content_type : str
        The content type of `text`.
    """

    def __init__(self, writer: Writer):
        self._client = client = needed("prometheus_client", "driftlearn serve")
        self._core = needed("prometheus_client.core", "driftlearn serve")
        self._writer, self.content_type = writer, str(client.CONTENT_TYPE_LATEST)
        client.disable_created_metrics()  # these add a series of timestamps for each counter
        self._registry = registry = client.CollectorRegistry(auto_describe=False)
        counter = partial(client.Counter, registry=registry)
        self._requests = counter(
            "driftlearn_requests", "Requests by route and status.", ["route", "status"]
        )
        self._rows = counter("driftlearn_rows", "Rows since the process started.", ["operation"])
        self._seconds = client.Histogram(
            "driftlearn_request_seconds", "Duration of requests in seconds.", ["route"],
            buckets=SECONDS, registry=registry,
        )  # fmt: skip
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

    def collect(self) -> Iterator[Any]:
        """Yield the gauges; called by the Prometheus client."""
        for name, about, labels, found in self._gauges():
            family = self._core.GaugeMetricFamily(f"driftlearn_{name}", about, labels=labels)
            for key, value in found.items() if isinstance(found, dict) else [((), found)]:
                family.add_metric([key] if isinstance(key, str) else key, value)
            yield family

    def _gauges(self) -> list[tuple[str, str, Sequence[str], Any]]:
        """Return name, help, labels and value of the gauges; the value may be a dict by labels."""
        writer, reader, now = self._writer, self._writer.reader, time.monotonic()
        facts, since = reader.facts(), writer.behind_since
        paths = [writer.folder / name for name in (MODEL, STORE)]
        size = sum(path.stat().st_size for path in paths if path.exists())
        build, is_ready = {(__version__, facts.learner): 1}, reader.is_ready and writer.is_alive
        behind = 0.0 if since is None else now - since
        return [
            ("build", "Always 1.", ("version", "learner"), build),
            ("ready", "1 if the service predicts and learns.", (), int(is_ready)),
            ("model_rows", "Rows that the model has learned.", (), reader.n_rows),
            ("keys", "Keys that have a model.", (), {} if facts.keys is None else facts.keys),
            ("rows_waiting", "Rows that wait for their chunk to be complete.", (), facts.waiting),
            ("requests_waiting", "Requests that wait to be learned.", (), writer.n_waiting),
            ("accuracy", "Prequential accuracy of the model and of baselines on all or about 1000 "
             "recent rows.", ("source", "window"), facts.accuracy),
            ("drifts", "Changes of the error rate by direction.", ("direction",), facts.drifts),
            ("events", "Events by kind.", ("kind",), facts.events),
            ("model_bytes", "Bytes of the saved model, or of the store of models for keys.", (),
             size),
            ("log_bytes", "Bytes of the write-ahead log.", (), writer.log.size),
            ("saved_age_seconds", "Seconds since the model was saved.", (), now - writer.saved_at),
            ("snapshot_age_seconds", "Seconds since rows were learned that /predict does not use "
             "yet.", (), behind),
            ("save_failed", "1 if the last attempt to save the model failed.", (),
             int(bool(writer.trouble))),
        ]  # fmt: skip
