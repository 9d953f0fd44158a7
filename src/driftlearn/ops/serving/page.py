"""The status page of a service."""

from __future__ import annotations

from driftlearn.bench.report._document import document
from driftlearn.bench.report._markup import pairs
from driftlearn.ops.serving.writer import Writer
from driftlearn.utils.version import __version__

REFRESH = 5.0  # seconds


def page(writer: Writer) -> str:
    """Return the page: accuracy, facts about the model, and the routes of the service."""
    reader = writer.reader
    facts = reader.facts()
    shares = {f"{who}, {over}": f"{share:.1%}" for (who, over), share in facts.accuracy.items()}
    known = {
        "learner": facts.learner,
        "rows learned": f"{reader.n_rows:,}",
        **({} if facts.keys is None else {"keys": f"{facts.keys:,}"}),
        "rows waiting for a complete chunk": f"{facts.waiting:,}",
        "labels": ", ".join(facts.labels[:50]),
        "size of the log in bytes": f"{writer.log.size:,}",
    }
    routes = {
        "POST /predict": "predict the labels of rows",
        "POST /learn": "predict labeled rows, then learn them",
        "GET /health": "liveness and readiness",
        "GET /metrics": "metrics for Prometheus",
    }
    lead = writer.trouble or "Each row was predicted before it was learned."
    sections = {
        "Accuracy": pairs(shares, "Accuracy of the model and of baselines"),
        "Model": pairs(known, "Facts about the model"),
        "Routes": pairs(routes, "Routes of the service"),
    }
    return document(
        writer.folder.name or "driftlearn", lead, sections, about=f"driftlearn {__version__}",
        refresh=REFRESH,
    )  # fmt: skip
