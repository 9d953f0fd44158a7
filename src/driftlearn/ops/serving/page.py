"""The web page of a service."""

from driftlearn.bench.report._html import document, pairs
from driftlearn.ops.serving.writer import Writer
from driftlearn.utils.version import __version__

REFRESH = 5.0  # seconds
ROUTES = {
    "POST /predict": "predict rows",
    "POST /learn": "predict rows with labels, then learn them",
    "GET /health": "status of the service",
    "GET /metrics": "metrics for Prometheus",
}


def page(writer: Writer) -> str:
    """Return the page: the model, its accuracy, and the routes."""
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
