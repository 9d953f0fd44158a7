"""The outcome of an experiment as one HTML file without network access."""

from base64 import b64encode
from collections.abc import Mapping
from html import escape
from pathlib import Path

from driftlearn.bench.papers.claim import KINDS
from driftlearn.bench.papers.outcome import Outcome
from driftlearn.bench.papers.page import (
    REDUCED,
    Rows,
    by_origin,
    capital,
    counted,
    facts,
    file_name,
    seeds_of,
)
from driftlearn.bench.papers.setting import settings_table
from driftlearn.bench.report._html import document, made_by, of_table, pairs, write_document
from driftlearn.utils.table import Table


def write_html(
    outcome: Outcome,
    folder: Path,
    n_seeds: int,
    command: str,
    machine: Mapping[str, str],
    figures: Mapping[str, list[str]],
) -> Path:
    """Write the contents of `write_page` as HTML, with embedded figures."""
    experiment = outcome.experiment
    stated, others = by_origin(outcome.verdicts())
    lead = [capital(experiment.title), seeds_of(n_seeds), *([counted(stated)] if stated else [])]
    parts = {name.capitalize(): _figure(folder / files[0], name) for name, files in figures.items()}
    if stated:
        parts["What the paper states"] = _claims(
            stated, ("verdict", "figure", "margin", "sentence")
        )
    if others:
        words = "; ".join(f"{kind}: {what}" for kind, what in KINDS.items())
        parts["Further claims, which are not counted"] = f"<p>{escape(words)}.</p>" + _claims(
            others, ("kind", "verdict", "figure", "margin")
        )
    if outcome.results:
        note = "<p>In percent; std is taken over seeds, chunk_std over the chunks of a run.</p>"
        parts["Accuracy"] = note + of_table(outcome.table(), "Accuracy, published and ours")
    for heading, table in outcome.extra_tables().items():
        parts[heading.capitalize()] = of_table(table, heading)
    parts["Settings"] = of_table(settings_table(experiment), "Settings, and where they come from")
    if experiment.notes:
        parts["Reasons and remarks"] = pairs(experiment.notes, "Reasons and remarks")
    parts["Made by"] = made_by(command, facts(machine), "Machine and versions")
    more = f"<p><strong>{REDUCED}</strong></p>" if experiment.is_quick else ""
    html = document(
        str(experiment), " ".join(f"{sentence}." for sentence in lead), parts, more=more
    )
    return write_document(folder / f"{file_name(outcome)}.html", html)


def _claims(rows: Rows, names: tuple[str, ...]) -> str:
    shown = ["claim", *names, *(["size"] if any(row.get("size") for row in rows) else [])]
    return of_table(Table({name: [row[name] for row in rows] for name in shown}), "Claims")


def _figure(path: Path, name: str) -> str:
    data = b64encode(path.read_bytes()).decode()
    return f'<figure><img alt="{escape(name)}, drawn" src="data:image/png;base64,{data}"></figure>'
