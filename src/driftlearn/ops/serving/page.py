"""The page of a service, for people."""

from __future__ import annotations

from driftlearn.bench.report._document import document
from driftlearn.bench.report._markup import pairs
from driftlearn.ops.serving.writer import Writer
from driftlearn.utils.version import __version__

REFRESH = 5.0  # seconds


def page(writer: Writer) -> str:
    """Return the page: what the model is, how it does, and what can be asked."""
    reader = writer.reader
    facts = reader.facts()
    shares = {f"{who}, {over}": f"{share:.1%}" for (who, over), share in facts.accuracy.items()}
    known = {
        "learner": facts.learner,
        "rows learned": f"{reader.n_rows:,}",
        **({} if facts.keys is None else {"keys": f"{facts.keys:,}"}),
        "rows that wait to be a chunk": f"{facts.waiting:,}",
        "labels": ", ".join(facts.labels[:50]),
        "bytes of the log": f"{writer.log.size:,}",
    }
    routes = {
        "POST /predict": "rows; their labels, and who said so",
        "POST /learn": "rows with labels; each is predicted, then learned",
        "GET /health": "whether it lives",
        "GET /metrics": "numbers for Prometheus",
    }
    lead = writer.trouble or "Each row was predicted before it was learned."
    sections = {
        "Accuracy": pairs(shares, "Rows that were right, of the model and of baselines"),
        "Model": pairs(known, "What is known of it"),
        "Routes": pairs(routes, "What can be asked"),
    }
    return document(
        writer.folder.name or "driftlearn", lead, sections, about=f"driftlearn {__version__}",
        refresh=REFRESH,
    )  # fmt: skip
