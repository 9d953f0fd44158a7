"""Inspection of a model as tables, the result of ``driftlearn.inspect``."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from driftlearn.evaluate._json import plain
from driftlearn.evaluate.metrics import ratio
from driftlearn.inspection import _tables
from driftlearn.inspection._drifts import drifts_of
from driftlearn.inspection._members import columns_of
from driftlearn.inspection.drift_record import DriftRecord
from driftlearn.inspection.importance_record import ImportanceRecord
from driftlearn.inspection.importances import importance_table, permutation_importances
from driftlearn.preprocessing.pipeline import IncrementalPipeline
from driftlearn.utils.hooks import hook
from driftlearn.utils.safe_text import printable
from driftlearn.utils.sparkline import sparklines
from driftlearn.utils.table import Table

if TYPE_CHECKING:
    from driftlearn.bench.report._figures import FigureDisplay

LEAST_BINS = 3  # a histogram of fewer bins with keys shows less than the median
SHOWN = 10  # number of printed rows per table
TITLES = {
    "files": "Accuracy by file",
    "accuracy": "Accuracy over time",
    "expected": "Expected and true performance by chunk",
    "changes": "When the error changed",
    "target": "When the shares of classes changed",
    "features": "How much features changed",
    "weights": "Voting weights",
    "importances": "Feature importances",
    "importance history": "Importances over time",
    "members": "Members",
    "history": "Weights of members over time",
    "recall": "Recall of each class",
    "calibration": "Calibration",
    "events": "Events",
}
KEYS_TITLES = {
    "worse": "Keys that got worse",
    "better": "Keys that got better",
    "worst": "Keys with the lowest accuracy",
    "predictions": "Sources of predictions",
    "ages": "Sources of predictions by rows of the key",
    "pool": "Shared models",
    "sizes": "Sizes of states",
    "rows": "Rows of keys",
    "importances": "Feature importances of the global model",
    "reasons": "Reasons for quarantine",
    "quarantined": "Quarantined rows",
    "expired": "Expired keys",
    "accuracies": "Accuracy over keys",
    "accuracy": "Accuracy over the stream",
}


class Inspection:
    """Members, importances, accuracy, drift and calibration of a model.

    Printing shows all tables; `table` returns a table, `plot` draws a figure, and `report` writes
    an HTML page.

    Attributes
    ----------
    title : str
        The class of the learner.
    facts : dict
        Summary values: rows, classes, members, accuracies, expected calibration error.
    sentences : list of str
        The main findings as sentences.
    tables : dict of str to Table
        The available tables: members, history, importances, accuracy, changes, target, features,
        recall, calibration, events; also expected, if candidates are stacked; files, and the
        importance history, if files are chunks; and weights, for the model of a key.
    measured : ImportanceRecord or None
        All measurements of importances over time.
    """

    #: Titles of the tables, in the order in which they are shown.
    titles: ClassVar[dict[str, str]] = TITLES
    #: Tables in chronological order, whose last rows are the newest.
    newest: ClassVar[tuple[str, ...]] = (
        "files",
        "accuracy",
        "expected",
        "history",
        "changes",
        "target",
        "events",
    )

    def __init__(
        self,
        title: str,
        facts: dict[str, Any],
        tables: Mapping[str, Table | None],
        sentences: list[str] | None = None,
        measured: ImportanceRecord | None = None,
    ):
        self.title = title
        self.facts = facts
        self.measured = measured
        there = {name: tables.get(name) for name in self.titles}
        self.tables = {name: table for name, table in there.items() if table is not None}
        self.sentences = self._describe() if sentences is None else sentences

    def table(self, name: str) -> Table:
        """Return a table.

        Parameters
        ----------
        name : str
            Name of a table in `tables`.
        """
        if name not in self.tables:
            why = "unknown name" if name not in self.titles else _why_not(name)
            raise ValueError(
                f"no table {name!r}: {why}. Available tables: {', '.join(self.tables)}"
            )
        return self.tables[name]

    @property
    def drift_rows(self) -> list[int]:
        """The number of training rows before each change of the error."""
        changes = self.tables.get("changes", Table({}))
        column = "training rows" if "training rows" in changes.columns else "after"
        return [row[column] for row in changes]

    def _excerpt(self, name: str, most: int) -> tuple[Table, str]:
        """Return at most `most` rows of a table, and a description if rows were omitted."""
        table, newest = self.tables[name], name in self.newest
        shown = table[-most:] if newest else table[:most]
        which = f"the {'newest' if newest else 'first'} {most} of {len(table):,}"
        return shown, which if len(table) > most else ""

    def to_dict(self) -> dict[str, Any]:
        """Return facts and tables as JSON values."""
        tables = {name: plain(table.to_dicts()) for name, table in self.tables.items()}
        facts: Any = plain(self.facts)
        return {"learner": self.title, **facts, "sentences": self.sentences, "tables": tables}

    def plot(self, path: str | Path | None = None) -> FigureDisplay:
        """Draw accuracy, features, importances and calibration with matplotlib.

        Notebooks render the returned display; its attribute `figure_` is the figure.

        Parameters
        ----------
        path : str or Path, optional
            Where to save the figure; its suffix determines the format.
        """
        return hook("figure_display")(hook("inspection_figure")(self, path))

    def report(self, path: str | Path, *, title: str | None = None) -> Path:
        """Write a self-contained HTML page and return its path.

        Parameters
        ----------
        path : str or Path
            Path of the page.
        title : str, optional
            The heading; by default the name of the learner.
        """
        return hook("write_document")(path, hook("inspection_page")(self, title=title))

    def _describe(self) -> list[str]:
        """Return the main findings as a list of sentences."""
        facts, tables, found = self.facts, self.tables, []
        classes = facts["classes"]
        shown = ", ".join(str(each) for each in classes[:6])
        more = f" and {len(classes) - 6} more" if len(classes) > 6 else ""
        found.append(f"{len(classes)} class{'' if len(classes) == 1 else 'es'}: {shown}{more}.")
        accuracy = {k: v for k, v in facts.get("accuracy", {}).items() if v is not None}
        if "rows" in facts and accuracy:
            beside = ", ".join(f"{name} {value:.4f}" for name, value in accuracy.items())
            recent = facts["recent accuracy"]["model"]
            newest = facts["rows"] > RECENT_ROWS and recent is not None
            last = f"; over the last {RECENT_ROWS:,}: {recent:.4f}" if newest else ""
            found.append(f"Accuracy over {facts['rows']:,} rows: {beside}{last}.")
            worse = [name for name, value in accuracy.items() if value > accuracy["model"]]
            if worse:
                found.append(f"The model does not beat {' and '.join(worse)}.")
        elif accuracy:
            found.append(f"Accuracy on the given rows: {accuracy['model']:.4f}.")
        if "drifts" in facts:
            found += [each["sentence"] for each in facts["drifts"]]
            if facts["drifts"]:
                found.append(f"Dates of drifts are precise to {facts['resolution']}.")
        else:
            found += _of_changes(tables.get("changes", ()))
        changed = [row["feature"] for row in tables.get("features", ()) if row["since"] is not None]
        if changed and "drifts" not in facts:
            more = f" and {len(changed) - 5} more" if changed[5:] else ""
            found.append(f"Features that changed: {', '.join(changed[:5])}{more}.")
        elif not changed and "features" in tables and len(tables["features"]):
            found.append("No feature changed.")
        if len(tables.get("importances", ())):
            top = [row["feature"] for row in tables["importances"] if row["importance"] > 0][:3]
            if top:
                found.append(f"Most important features: {', '.join(top)}.")
        if facts.get("ece") is not None:
            found.append(f"Expected calibration error: {facts['ece']:.3f}.")
        return found

    def _repr_html_(self) -> str:
        """Return HTML for notebooks: findings, accuracy over time, and folded tables."""
        items = "".join(f"<li>{escape(printable(each))}</li>" for each in self.sentences)
        curves, table = "", self.tables.get("accuracy")
        if table is not None and (there := table["tested"] > 0).any():
            tested = table["tested"][there]
            lines = {name: table[name][there]
                     for name in table.columns if table[name].dtype.kind == "f"}  # fmt: skip
            means = [ratio(np.nansum(line * tested), tested[~np.isnan(line)].sum())
                     for line in lines.values()]  # fmt: skip
            shown = Table({"": [*lines], "all rows": means})
            curves = shown.html({"over time": sparklines([*lines.values()])})
        tables = "".join(
            f"<details><summary>{self.titles[name]} ({len(table):,})</summary>{table.html()}"
            "</details>"
            for name, table in self.tables.items()
            if len(table)
        )
        head = f"<p><strong>{escape(printable(self.title))}</strong></p>"
        return f"{head}<ul>{items}</ul>{curves}{tables}"

    def __repr__(self) -> str:
        lines = [printable(self.title), *map(printable, self.sentences)]
        for name, table in self.tables.items():
            shown, which = self._excerpt(name, SHOWN)
            lines += ["", self.titles[name], repr(shown) if len(table) else "none"]
            lines += [f"({which})"] if which else []
        return "\n".join(lines)


class KeysInspection(Inspection):
    """Inspection of keyed models: drift, accuracy and sources of predictions.

    Attributes
    ----------
    title : str
        The learner of the keys.
    facts : dict
        Summary values: keys, rows, accuracies, bytes.
    sentences : list of str
        The main findings as sentences.
    tables : dict of str to Table
        accuracy, worse, better, worst, accuracies, predictions, ages, pool, sizes, rows,
        importances, quarantined, reasons, expired. Tables without data are missing.
    """

    titles: ClassVar[dict[str, str]] = KEYS_TITLES
    newest: ClassVar[tuple[str, ...]] = ("accuracy", "quarantined", "expired")

    def _describe(self) -> list[str]:
        facts, counts, right = self.facts, self.facts["counts"], self.facts["accuracy"]
        found = [f"{facts['keys']:,} keys have learned {counts['learned']:,} rows."]
        if right["predictions"] is not None:
            beside = ""
            if right["global"] is not None:
                beside = f"; of the global model alone: {right['global']:.4f}"
            found.append(f"Accuracy: {right['predictions']:.4f}{beside}.")
        keys = facts["accuracy of keys"]
        if keys["keys"]:
            found.append(
                f"Accuracy of {keys['keys']:,} keys with at least {keys['least']} predictions: "
                f"median {keys['median']:.3f}; at most {keys['worst tenth']:.3f} for the worst "
                "tenth."
            )
        drifting = facts["drifting"]
        found.append(
            f"Within their last {drifting['within']} rows, {drifting['worse']:,} keys got worse "
            f"and {drifting['better']:,} got better."
        )
        sources = [f"{name} {share:.1%}" for name, share in facts["predictions"].items() if share]
        if sources:
            found.append(f"Sources of predictions: {', '.join(sources)}.")
        size = facts["bytes"]
        if facts["keys"]:
            found.append(
                f"States: {size['mean']:,.0f} bytes on average, {size['largest']:,} at most, "
                f"{size['all'] / 1e6:,.1f} MB in total."
            )
        if counts["quarantined"]:
            found.append(f"{counts['quarantined']:,} rows were quarantined.")
        if counts["expired"]:
            found.append(f"{counts['expired']:,} idle keys have expired.")
        return found


def inspect(model: Any, X: Any = None, y: Any = None) -> Inspection:
    """Return the members, feature importances, accuracy and drift of a model.

    Parameters
    ----------
    model : learner, IncrementalPipeline or SavedModel
        A fitted model. A saved model, ``driftlearn.ops.checkpoint.SavedModel.open("model/")``, also
        contains a record of errors over time, feature drift, and dates.
    X, y : rows and their labels, optional
        Labeled rows, for the tables that require rows if there is no record: recall, calibration,
        and the importances of a learner without trees.

    Returns
    -------
    Inspection

    Examples
    --------
    >>> from driftlearn import SEAClassifier, inspect
    >>> X = [[k % 20, k % 7] for k in range(200)]
    >>> model = SEAClassifier().fit(X, [row[0] > 9 for row in X])
    >>> inspect(model).table("importances")
    feature  importance
    x0                1
    x1                0
    """
    saved: Any = model if hasattr(model, "record") and hasattr(model, "model") else None
    inner = model if saved is None else saved.model
    if (X is None) != (y is None):
        raise ValueError("X and y must be passed together, or both omitted")
    if not hasattr(inner, "predict"):
        raise ValueError(
            "inspect expects a learner, a pipeline or a saved model. Got "
            f"{type(model).__name__}. driftlearn.load reads a model file, "
            "driftlearn.ops.checkpoint.SavedModel.open a state folder."
        )
    if not hasattr(inner, "explain"):
        raise ValueError(
            f"{type(inner).__name__} is not a driftlearn learner. Use it in an ensemble, for "
            f"example SEAClassifier({type(inner).__name__}())"
        )
    inner._check_fitted()
    learner = columns_of(inner)[1]
    record = getattr(saved, "record", None)
    measured: ImportanceRecord | None = getattr(saved, "importances", None)
    importances = importance_table(inner)
    members = _tables.member_table(learner, record)
    tables: dict[str, Table | None] = {
        "members": members,
        "history": _tables.history_table(learner, members, record),
        "importances": importances,
    }
    facts: dict[str, Any] = {"classes": learner.classes_.tolist()}
    stacking = getattr(learner, "stacking_", None) or learner
    if len(getattr(getattr(stacking, "performance_", None), "n_rows", ())):
        tables["expected"] = stacking.performance_.table()
    if measured is not None and measured.after:
        tables["importance history"] = measured.table()
    if X is not None and importances is None:
        tables["importances"] = permutation_importances(inner, X, y)
    if record is not None and record.n_rows:
        facts |= {"rows": record.n_rows, "accuracy": record.accuracy()}
        facts["recent accuracy"] = record.accuracy(RECENT_ROWS)
        facts["waiting"] = saved.n_waiting
        tables["files"] = saved.files.table() if saved.files.n_files else None
        tables["accuracy"] = record.table()
        tables["changes"] = _tables.change_table(saved)
        tables["target"] = _tables.target_table(saved)
        facts["resolution"] = getattr(saved.features, "resolution", None)
        tables["features"] = _tables.feature_table(saved.features, record)
        tables["events"] = _tables.event_table(saved.events)
        if isinstance(saved.features, DriftRecord):
            created = _tables.created_spans(learner, members, saved)
            facts["drifts"] = drifts_of(saved.features, tables, created)
        recall = record.classes, record.class_tested, record.class_right
        confidence = record.calibration.sum(axis=0)
    elif X is not None:
        labels, predictions = np.asarray(y), inner.predict(X)
        facts["accuracy"] = {"model": float((predictions == labels).mean())}
        recall = _tables.recalls_of(learner.classes_, predictions, labels)
        probas = inner.predict_proba(X)
        hits = learner.classes_[probas.argmax(axis=1)] == labels
        confidence = _tables.calibration_of(probas.max(axis=1), hits)
    if "accuracy" in facts:
        tables["recall"] = _tables.recall_table(*recall)
        tables["calibration"], facts["ece"] = _tables.calibration_table(confidence)
    name = type(learner).__name__
    title = f"{name} in a pipeline" if isinstance(inner, IncrementalPipeline) else name
    return Inspection(title, facts, tables, measured=measured)


#: Number of rows of the recent accuracy: its standard error is below two percentage points.
RECENT_ROWS = 1000


def _why_not(name: str) -> str:
    if name == "importances":
        return "no member is a tree; pass labeled rows X and y to inspect"
    if name == "importance history":
        return "only state folders record it, after some thousand rows, if they learn chunks"
    if name in ("recall", "calibration"):
        return "only a saved model has a record; pass labeled rows X and y to inspect"
    return "only a saved model has a record (driftlearn learn)"


def _of_changes(changes: Any) -> list[str]:
    """Return sentences about the last rise of the error or, without a rise, its last change."""
    if not len(changes):
        return []
    rose = [row for row in changes if row["since"] > row["before"]]
    last = rose[-1] if rose else list(changes)[-1]
    verb, ended = ("rose", "; not recovered yet") if rose else ("fell", "")
    if last["recovered"] is not None:
        ended = f"; recovered within {last['recovered']:,} rows"
    where = "".join(f", {last[name]}" for name in ("time", "file") if last[name])
    return [
        f"The error last {verb} after row {last['after']:,}{where}: from {last['before']:.3f} to "
        f"{last['since']:.3f}{ended}."
    ]
