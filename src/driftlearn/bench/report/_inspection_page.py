"""The page of an inspected model: one file that needs no network."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from driftlearn.bench.report._bars import bars
from driftlearn.bench.report._concepts import Concepts
from driftlearn.bench.report._curves import Curves
from driftlearn.bench.report._document import document
from driftlearn.bench.report._markup import of_table
from driftlearn.bench.report._plot import Stage, over_rows
from driftlearn.evaluate.metrics import ratio
from driftlearn.inspection.inspection import Inspection
from driftlearn.utils.table import Table

FIGURES = 100  # points of a curve: more cannot be told apart
MOST_ROWS = 500  # of a table on the page
ABOUT = {
    "members": "Who votes, the heaviest first.",
    "weights": "What each model is worth for this key: its own, the global one, those borrowed from "
    "other keys. The answer is the label whose voices have the largest sum of weights.",
    "importances": "Of trees: the share of the decrease of impurity that is due to splits on a "
    "feature, over members by weight. Of others: the accuracy lost when it is shuffled.",
    "accuracy": "The share of rows that were right before they were learned, beside that of the "
    "label of the row before, and of the most frequent one. Dashed: when the error changed.",
    "changes": "Error before and since, and after how many rows it was as low as before.",
    "features": "The row since which a feature's distribution is another, by chi-square tests "
    "corrected for their number; the effect is the share of rows whose values would have to be "
    "others.",
    "recall": "Of the rows of a class, the share that was told.",
    "calibration": "How sure the model was, and how often it was right.",
    "events": "What was met on the way, the newest last.",
}
#: What is another of the model of a key.
ABOUT_KEY = {
    "accuracy": "The share of answers that were right before their rows were learned, and what the "
    "key's own model alone would have had. Dashed: when the errors of its own model changed.",
    "changes": "After which row of the key the errors of its own model changed, and its error in "
    "the spans before and since.",
}


def inspection_page(
    inspection: Inspection, *, title: str | None = None, refresh: float | None = None
) -> str:
    """Return the page of an inspected model as HTML.

    Parameters
    ----------
    inspection : Inspection
        What to show.
    title : str, optional
        The heading; by default the learner.
    refresh : float, optional
        Seconds after which a browser asks for the page again.
    """
    title = inspection.title if title is None else title
    said = {**ABOUT, **ABOUT_KEY} if "weights" in inspection.tables else ABOUT
    parts = {
        inspection.titles[name]: f"<p>{said[name]}</p>\n{''.join(_part(inspection, name))}"
        for name in inspection.tables
    }
    about = "" if title == inspection.title else inspection.title
    return document(title, " ".join(inspection.sentences), parts, about=about, refresh=refresh)


def _part(inspection: Inspection, name: str) -> Iterator[str]:
    """Yield the picture of a part, if it has one, and its table."""
    shown = inspection.tables[name]
    if not len(shown):
        yield "<p>None.</p>"
        return
    if name == "accuracy":
        yield _accuracy(inspection, shown)
        shown = _tail(shown)
    elif name == "importances":
        values = dict(zip(shown["feature"].tolist(), shown["importance"].tolist()))
        alt = ", ".join(f"{key} {value:.3f}" for key, value in [*values.items()][:12])
        yield _figure(bars(values, alt=f"Importances, the largest first: {alt}."))
    elif name == "weights":
        values = dict(zip(shown["source"].tolist(), shown["weight"].tolist()))
        alt = ", ".join(f"{key} {value:.3f}" for key, value in [*values.items()][:12])
        yield _figure(bars(values, alt=f"Weights of voices, the largest first: {alt}."))
    elif name == "features":
        values = dict(zip(shown["feature"].tolist(), shown["effect"].tolist()))
        alt = ", ".join(f"{key} {value:.3f}" for key, value in [*values.items()][:12])
        yield _figure(bars(values, alt=f"How far features changed: {alt}."))
    elif name == "calibration":
        yield _calibration(shown)
    if len(shown) > MOST_ROWS:
        shown = _first(shown)
        yield f"<p>The first {MOST_ROWS} rows.</p>"
    yield of_table(shown, inspection.titles[name])


def _accuracy(inspection: Inspection, shown: Table) -> str:
    known = "predictions" if "own" in shown.columns else "model"
    names = {known: "accuracy", "own": "own", "no change": "no change", "majority": "majority"}
    names = {label: column for label, column in names.items() if column in shown.columns}
    n = len(shown)
    width = -(-n // FIGURES)
    starts = np.arange(0, n, width)
    weight = shown["tested"].astype(float)
    tested = np.add.reduceat(weight, starts)
    curves = {
        label: ratio(np.add.reduceat(np.nan_to_num(shown[column]) * weight, starts), tested)
        for label, column in names.items()
    }
    marks = [row["after"] for row in inspection.tables.get("changes", ())]
    model = curves[known][tested > 0]
    if not len(model):
        return ""
    alt = (
        f"Accuracy over {n} spans: {model[0]:.3f} at first, {model.min():.3f} at worst, "
        f"{model[-1]:.3f} in the end; {len(marks)} changes."
    )
    first = shown["first row"].astype(int)
    ends = np.append(first, first[-1] + int(weight[-1]))[np.minimum(starts + width, n)]
    stage = Stage(int(ends[-1]), marks, Concepts([], []))
    found = Curves(ends, curves, {}, width, 1)
    return over_rows(found, stage, [*curves], title="Accuracy", height=260, alt=alt)


def _calibration(shown: Table) -> str:
    x, y = shown["mean confidence"], shown["share right"]
    alt = ", ".join(f"{b:.2f} right at confidence {a:.2f}" for a, b in zip(x, y))
    found = Curves(100 * x, {"share right": y, "as sure as right": x}, {}, 1, 1)
    stage = Stage(100, (), Concepts([], []), "confidence")
    title = "Share right, by confidence in per cent"
    return over_rows(found, stage, [*found.middle], title=title, alt=f"Shares: {alt}.")


def _figure(svg: str) -> str:
    return f'<figure><div class="scroll">{svg}</div></figure>'


def _tail(shown: Table) -> Table:
    """Return the newest rows: the picture has shown the others."""
    return Table({name: shown[name][-20:] for name in shown.columns})


def _first(shown: Table) -> Table:
    return Table({name: shown[name][:MOST_ROWS] for name in shown.columns})
