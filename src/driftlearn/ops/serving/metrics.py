"""What a service tells Prometheus."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from typing import Any

from driftlearn.ops.checkpoint.saved_model import MODEL
from driftlearn.ops.keyed.settings import STORE
from driftlearn.ops.serving.writer import Writer
from driftlearn.utils.optional import needed
from driftlearn.utils.version import __version__

SECONDS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0)


class Metrics:
    """Counts of requests, and facts of the model that are looked up when they are asked for.

    Parameters
    ----------
    writer : Writer
        The writer.
    """

    def __init__(self, writer: Writer):
        self._client = client = needed("prometheus_client", "driftlearn serve")
        self._core = needed("prometheus_client.core", "driftlearn serve")
        self._writer = writer
        client.disable_created_metrics()  # a series of times for each count
        self._registry = client.CollectorRegistry(auto_describe=False)
        known = {"registry": self._registry}
        self._requests = client.Counter(
            "driftlearn_requests", "Requests by route and status.", ["route", "status"], **known
        )
        self._seconds = client.Histogram(
            "driftlearn_request_seconds", "Seconds a request took.", ["route"], buckets=SECONDS,
            **known,
        )  # fmt: skip
        self._rows = client.Counter(
            "driftlearn_rows", "Rows since the start of the process.", ["what"], **known
        )
        for what in ("predicted", "learned"):
            self._rows.labels(what)
        self._registry.register(self)

    def answered(self, route: str, status: int, seconds: float) -> None:
        """Count a request."""
        self._requests.labels(route, str(status)).inc()
        self._seconds.labels(route).observe(seconds)

    def count(self, what: str, rows: int) -> None:
        """Count rows that were predicted or learned."""
        self._rows.labels(what).inc(rows)

    def text(self) -> bytes:
        """Return all of it, as Prometheus reads it."""
        found: bytes = self._client.generate_latest(self._registry)
        return found

    @property
    def content_type(self) -> str:
        """The type of `text`."""
        return str(self._client.CONTENT_TYPE_LATEST)

    def collect(self) -> Iterator[Any]:
        """Yield what is known of the model now; Prometheus' client calls this."""
        writer, now = self._writer, time.monotonic()
        reader = writer.reader
        facts = reader.facts()
        about = (__version__, facts.learner)
        yield self._gauge("build", "Always 1.", {about: 1}, ["version", "learner"])
        yield self._one("ready", "1 if rows are answered and learned.",
                        int(reader.is_ready and writer.is_alive))  # fmt: skip
        yield self._one("model_rows", "Rows that the model has learned, ever.", reader.n_rows)
        yield self._gauge("keys", "Keys that have a model.",
                          {} if facts.keys is None else {(): facts.keys}, [])  # fmt: skip
        yield self._one("rows_waiting", "Rows that wait to be a chunk.", facts.waiting)
        yield self._one("requests_waiting", "Requests that wait for the writer.", writer.n_waiting)
        yield self._gauge("accuracy", "Share of rows that were right before they were learned, of "
                          "all rows or some thousand lately; of the model and of baselines.",
                          facts.accuracy, ["who", "over"])  # fmt: skip
        yield self._gauge("drifts", "Changes of the error, for the worse and for the better.",
                          {(way,): n for way, n in facts.drifts.items()}, ["way"])  # fmt: skip
        yield self._gauge("events", "Events of the model's life by kind.",
                          {(kind,): n for kind, n in facts.events.items()}, ["what"])  # fmt: skip
        paths = [writer.folder / name for name in (MODEL, STORE)]
        yield self._one("model_bytes", "Bytes of the saved model, or of the store of keys.",
                        sum(path.stat().st_size for path in paths if path.exists()))  # fmt: skip
        yield self._one("log_bytes", "Bytes of the write-ahead log.", writer.log.size)
        yield self._one("saved_age_seconds", "Seconds since the model was saved.",
                        now - writer.saved_at)  # fmt: skip
        since = writer.behind_since
        yield self._one("snapshot_age_seconds", "Seconds since there are rows that readers do not "
                        "know yet.", 0.0 if since is None else now - since)  # fmt: skip
        yield self._one(
            "save_failed", "1 if the model could not be saved.", int(bool(writer.trouble))
        )

    def _one(self, name: str, about: str, value: float) -> Any:
        return self._gauge(name, about, {(): value}, [])

    def _gauge(self, name: str, about: str, values: Mapping[Any, float], labels: list[str]) -> Any:
        family = self._core.GaugeMetricFamily(f"driftlearn_{name}", about, labels=labels)
        for key, value in values.items():
            family.add_metric(key, value)
        return family
