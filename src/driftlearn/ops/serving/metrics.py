"""Prometheus metrics and the web page of a service."""

import time
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import prometheus_client as client
from prometheus_client.core import GaugeMetricFamily

from driftlearn.bench.report._html import document, pairs
from driftlearn.ops.checkpoint.saved_model import MODEL, STORE
from driftlearn.ops.serving.writer import Writer
from driftlearn.utils.version import __version__

SECONDS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0)
REFRESH = 5.0  # seconds between updates of the page
ROUTES = {
    "POST /predict": "predict rows",
    "POST /learn": "predict rows with labels, then learn them",
    "GET /health": "status of the service",
    "GET /metrics": "metrics for Prometheus",
}


class Metrics:
    """Request counters, and gauges computed on demand.

    Parameters
    ----------
    writer : Writer
        The writer.
    """

    def __init__(self, writer: Writer):
        self._writer = writer
        client.disable_created_metrics()  # these add a series of timestamps for each counter
        self._registry = registry = client.CollectorRegistry(auto_describe=False)
        counter = partial(client.Counter, registry=registry)
        about = "Requests by route and status."
        self._requests = counter("driftlearn_requests", about, ["route", "status"])
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
        """Count predicted rows or training rows."""
        self._rows.labels(operation).inc(rows)

    def text(self) -> bytes:
        """Return all metrics in Prometheus text format."""
        return client.generate_latest(self._registry)

    def collect(self) -> Iterator[Any]:
        """Yield the gauges; called by the Prometheus client."""
        for name, about, labels, found in self._gauges():
            family = GaugeMetricFamily(f"driftlearn_{name}", about, labels=labels)
            for key, value in found.items() if isinstance(found, dict) else [((), found)]:
                family.add_metric([key] if isinstance(key, str) else key, value)
            yield family

    def _gauges(self) -> list[tuple[str, str, Sequence[str], Any]]:
        """Return name, help, labels and value of each gauge; the value may be a dict by labels."""
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


def page(writer: Writer) -> str:
    """Return the web page with the model, its accuracy and the routes."""
    reader = writer.reader
    facts = reader.facts()
    shares = {f"{name}, {window}": f"{x:.1%}" for (name, window), x in facts.accuracy.items()}
    known = {
        "learner": facts.learner,
        "rows learned": f"{reader.n_rows:,}",
        **({} if facts.keys is None else {"keys": f"{facts.keys:,}"}),
        "rows waiting for a complete chunk": f"{facts.waiting:,}",
        "labels": ", ".join(facts.labels[:50]),
        "size of the log in bytes": f"{writer.log.size:,}",
    }
    sections = {
        "Accuracy": pairs(shares, "Accuracy of the model and of baselines"),
        "Model": pairs(known, "The model"),
        "Routes": pairs(ROUTES, "Routes of the service"),
    }
    lead = writer.trouble or "Each row was predicted before it was learned."
    title, about = writer.folder.name or "driftlearn", f"driftlearn {__version__}"
    return document(title, lead, sections, about=about, refresh=REFRESH)
