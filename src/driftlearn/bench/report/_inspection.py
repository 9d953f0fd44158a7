"""HTML page for the inspection of a model or of keyed models."""

from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np

from driftlearn.bench.report._curves import Curves
from driftlearn.bench.report._html import document, of_table, safe
from driftlearn.bench.report._svg import Axis, bar_chart, column_chart, dot_chart, line_chart
from driftlearn.evaluate.metrics import ratio
from driftlearn.inspection.importance_record import ImportanceRecord
from driftlearn.inspection.inspection import KEYS_TITLES, LEAST_BINS, Inspection, KeysInspection
from driftlearn.specs.toml import read_toml
from driftlearn.utils.safe_text import printable
from driftlearn.utils.table import Table

MOST_POINTS = 100  # points per curve
# rows of a table; the second limit is for tables whose other rows are in a chart
MOST_ROWS, NEWEST = 500, 20
MOST_KEYS = 12  # keys in a chart
MOST_LINES = 6  # columns in a chart of importances
LINES = "Vertical lines: changes of the error."
MOST_FILES = 120  # the newest files in a chart
#: Tables drawn as bar charts: the column of values, and the beginning of the description.
BARS = {
    "importances": ("importance", "Importances, the largest first"),
    "features": ("effect", "Changes of features, the largest first"),
    "weights": ("weight", "Voting weights, the largest first"),
    "predictions": ("share", "Shares of predictions"),
}


@cache
def _texts() -> dict[str, dict[str, str]]:
    """Return the texts above the tables of a model, of a single key and of all keys."""
    return read_toml(Path(__file__).with_name("inspection.toml"))[0]


def inspection_page(inspection: Inspection, *, title: str | None = None) -> str:
    """Return the page of an inspection as HTML.

    Parameters
    ----------
    inspection : Inspection or KeysInspection
        The inspection.
    title : str, optional
        The heading; by default the name of the learner.
    """
    title = inspection.title if title is None else title
    about, more = "" if title == inspection.title else inspection.title, ""
    keyed = isinstance(inspection, KeysInspection)
    above = ("accuracy", "accuracies") if keyed else ()
    if keyed:
        about = about and f"one model per key: {about}"
        more = f'<div class="grid">{"".join(chart_of(inspection, name) for name in above)}</div>'
    texts = texts_of(inspection)
    parts = {
        inspection.titles[name]:
            f"<p>{texts[name]}</p>\n{section_of(inspection, name, has_chart=name not in above)}"
        for name, table in inspection.tables.items()
        if len(table) or not keyed
    }  # fmt: skip
    lead = " ".join(inspection.sentences)
    return document(title, lead, parts, about=about, more=more)


def texts_of(inspection: Inspection) -> dict[str, str]:
    """Return the explanation of each table."""
    if isinstance(inspection, KeysInspection):
        return _texts()["keys"]
    texts = _texts()["model"]
    return {**texts, **_texts()["key"]} if "weights" in inspection.tables else texts


def chart_of(inspection: Inspection, name: str) -> str:
    """Return the chart of a table; empty if there is none."""
    table = inspection.tables.get(name)
    if table is None or not len(table):
        return ""
    if name in BARS:
        value, alt = BARS[name]
        bars = {row[table.columns[0]]: row[value] for row in table
                if name != "features" or row["since"] is not None}  # fmt: skip
        return bar_chart(bars, alt=alt) if bars else ""
    if name in CHARTS:
        return CHARTS[name](table)
    if isinstance(inspection, KeysInspection) and name in ("accuracy", "accuracies"):
        return _stream(inspection) if name == "accuracy" else _keys(inspection)
    if name == "importance history" and inspection.measured is not None:
        return importance_chart(inspection.measured)
    draws = {"accuracy": _accuracy, "files": _files, "history": _history}
    return draws[name](inspection) if name in draws else ""


def section_of(inspection: Inspection, name: str, *, has_chart: bool = True) -> str:
    """Return a table, by default with its chart if there is one."""
    table, keyed = inspection.tables[name], isinstance(inspection, KeysInspection)
    if not len(table):
        return "<p>None.</p>"
    chart = chart_of(inspection, name) if has_chart else ""
    few = name in inspection.newest and (keyed or name == "accuracy")
    shown, which = inspection._excerpt(name, NEWEST if few else MOST_ROWS)
    note = f"<p>{which[0].upper()}{which[1:]}.</p>" if which else ""
    if keyed:  # omit columns without known values
        shown = Table({column: shown[column] for column in shown.columns
                       if any(v is not None and v == v for v in shown[column])})  # fmt: skip
    return chart + note + of_table(shown, inspection.titles[name])


def _accuracy(inspection: Inspection) -> str:
    table = inspection.tables["accuracy"]
    first = "predictions" if "own" in table.columns else "model"
    names = {first: "accuracy", "own": "own", "no change": "no change", "majority": "majority"}
    n = len(table)
    width = -(-n // MOST_POINTS)
    starts = np.arange(0, n, width)
    weight = table["tested"].astype(float)
    tested = np.add.reduceat(weight, starts)
    curves = {
        label: ratio(np.add.reduceat(np.nan_to_num(table[column]) * weight, starts), tested)
        for label, column in names.items()
        if column in table.columns
    }
    model = curves[first][tested > 0]
    if not len(model):
        return ""
    drifts = inspection.drift_rows
    alt = (
        f"Accuracy over {n} spans: {model[0]:.3f} at first, {model.min():.3f} at worst, "
        f"{model[-1]:.3f} in the end; {len(drifts)} changes."
    )
    begins = table["first row"].astype(int)
    ends = np.append(begins, begins[-1] + int(weight[-1]))[np.minimum(starts + width, n)]
    return line_chart(Curves(ends, curves, {}, width), Axis(int(ends[-1]), drifts), [*curves],
                      title="Accuracy", height=260, alt=alt, note=LINES * bool(drifts))  # fmt: skip


def _files(inspection: Inspection) -> str:
    """Return a chart of the accuracy by file."""
    table = inspection.tables["files"][-MOST_FILES:]
    files = [printable(file) for file in table["file"]]
    drifts = {printable(row["file"]) for row in inspection.tables.get("changes", ())}
    lines = {"model": table["accuracy"], "majority": table["majority"],
             table.columns[-1]: table[table.columns[-1]]}  # fmt: skip
    if np.array_equal(lines["majority"], lines[table.columns[-1]]):
        del lines[table.columns[-1]]
    model = lines["model"]
    alt = (
        f"Accuracy in {len(files):,} files: {model[0]:.3f} in the first, {model.min():.3f} in the "
        f"worst, {model[-1]:.3f} in the newest; the error changed in {len(drifts)} files."
    )
    starts = [k for k, file in enumerate(files) if file in drifts]
    axis = Axis(len(files) - 1, starts, unit="file", names=_without_common_ending(files))
    return line_chart(Curves(np.arange(len(files)), lines, {}), axis, [*lines],
                      title="Accuracy by file", height=260, alt=alt,
                      note=LINES * bool(starts))  # fmt: skip


def _without_common_ending(names: list[str]) -> list[str]:
    """Return file names without the suffix that all of them have.

    Examples
    --------
    >>> _without_common_ending(["monday.csv.gz", "friday.csv.gz"])
    ['monday', 'friday']
    """
    first = Path(names[0])
    for suffix in ("".join(first.suffixes), first.suffix):
        if all(name.endswith(suffix) and name != suffix for name in names):
            return [name.removesuffix(suffix) for name in names]
    return names


def _history(inspection: Inspection) -> str:
    """Return a chart of the weights of members over time."""
    table = inspection.tables["history"]
    unit, *names = table.columns
    lines = {name: table[name] for name in names}
    final = ", ".join(f"{name} {line[-1]:.2f}" for name, line in lines.items()
                      if not np.isnan(line[-1]))  # fmt: skip
    alt = f"Voting weights of {len(names)} members over time; in the end: {final}."
    last = int(table[unit][-1])
    axis = Axis(last, inspection.drift_rows if unit == "row" else (), unit=unit)
    note = "Divided by the sum of the absolute weights of all members."
    return line_chart(Curves(table[unit].astype(int), lines, {}), axis, names, height=260, alt=alt,
                      title=inspection.titles["history"], note=note)  # fmt: skip


def importance_chart(record: ImportanceRecord) -> str:
    """Return a chart of the importances of the most important columns over time."""
    lines = record.lines(MOST_LINES)
    last = ", ".join(f"{name} {line[-1]:.3f}" for name, line in lines.items())
    points, alt = np.array(record.after), f"Importances in the end: {last}."
    return line_chart(Curves(points, lines, {}), Axis(record.after[-1]), [*lines],
                      title="Importances", height=260, alt=alt)  # fmt: skip


def _calibration(table: Table) -> str:
    x, y = table["mean confidence"], table["share right"]
    shares = ", ".join(f"{b:.2f} right at confidence {a:.2f}" for a, b in zip(x, y))
    lines = {"share right": y, "perfect calibration": x}
    return line_chart(Curves(100 * x, lines, {}), Axis(100, unit="confidence"), [*lines],
                      title="Share right, by confidence in percent",
                      alt=f"Shares: {shares}.")  # fmt: skip


def _stream(inspection: Inspection) -> str:
    """Return a chart of accuracy over the stream of all keys."""
    table = inspection.tables["accuracy"]
    if not table["tested"].any():
        return ""
    lines = {"predictions": table["accuracy"], "global": table["global"]}
    lines = {name: line for name, line in lines.items() if not np.isnan(line).all()}
    last = int(inspection.facts["counts"]["rows"])
    ends = np.append(table["first row"].astype(int)[1:], last)
    final = ", ".join(f"{name} {line[~np.isnan(line)][-1]:.3f}" for name, line in lines.items())
    alt = f"Shares of correct predictions over {last:,} rows of the stream; in the end {final}."
    return line_chart(Curves(ends, lines, {}), Axis(last), [*lines],
                      title="Accuracy over the stream", height=200, alt=alt)  # fmt: skip


def _keys(inspection: Inspection) -> str:
    """Return a chart of the distribution of accuracy over keys."""
    table, facts = inspection.tables["accuracies"], inspection.facts["accuracy of keys"]
    if not facts["keys"]:
        return ""
    note = (
        f"The share of correct predictions of a key. Median {facts['median']:.3f}; the worst tenth "
        f"has at most {facts['worst tenth']:.3f}."
    )
    if np.count_nonzero(table["keys"]) < LEAST_BINS:
        return f"<p>{safe(note)}</p>\n"
    table = table[int(np.flatnonzero(table["keys"])[0]) :]
    labels = [f"{value:.2f}" for value in table["from"]]
    return column_chart({"keys": table["keys"]}, labels, title="Accuracy over keys", alt=note,
                        note=note, edges=True)  # fmt: skip


def _before_and_recent(table: Table, title: str) -> str:
    """Return a dot chart of earlier and recent accuracy, with one row per key."""
    table = table[:MOST_KEYS]
    kinds = [kind for kind in ("before", "recent") if not np.isnan(table[kind]).all()]
    # Trailing blanks distinguish keys whose printable forms are equal.
    rows = {printable(row["key"]) + " " * k: {kind: row[kind] for kind in kinds}
            for k, row in enumerate(table)}  # fmt: skip
    return dot_chart(rows, kinds, title=title, note="The share of correct predictions.")


def _sources(table: Table) -> str:
    """Return a chart of prediction sources by number of rows of the key."""
    kinds = [name for name in table.columns if name not in ("from", "to", "rows", "right")]
    own = table["own"]
    alt = (
        f"The share of predictions of own models is {own[0]:.0%} for new keys and {own[-1]:.0%} "
        f"for those with {int(table['from'][-1]):,} rows or more."
    )
    return column_chart({name: table[name] for name in kinds if table[name].any()},
                        [*map(_short, table["from"])], alt=alt, share=True,
                        title="Sources of predictions by rows learned before",
                        note="Rows of the key, from this number on.")  # fmt: skip


def _histogram(table: Table, what: str) -> str:
    most = int(np.argmax(table["keys"]))
    alt = (
        f"Keys by {what}: most have {int(table['from'][most]):,} to {int(table['to'][most]):,}, "
        f"the fewest {int(table['from'][0]):,} or more, the most {int(table['to'][-1]):,} or less."
    )
    return _columns(table, "from", f"Keys by {what}", alt, f"From this number of {what} on.")


def _expired(table: Table) -> str:
    alt = f"{int(table['keys'].sum()):,} keys expired."
    return _columns(table, "last row from", "Expired keys", alt, "Row of the stream.")


def _columns(table: Table, edge: str, title: str, alt: str, note: str) -> str:
    """Return a chart of the number of keys in ranges of values."""
    labels = [*map(_short, table[edge])]
    return column_chart({"keys": table["keys"]}, labels, title=title, alt=alt, note=note,
                        edges=True, height=140)  # fmt: skip


CHARTS: dict[str, Callable[[Table], str]] = {
    "calibration": _calibration,
    **{
        name: partial(_before_and_recent, title=KEYS_TITLES[name])
        for name in ("worse", "better", "worst")
    },
    "ages": _sources,
    "sizes": lambda table: _histogram(table, "bytes"),
    "rows": lambda table: _histogram(table, "rows"),
    "expired": _expired,
}


def _short(value: Any) -> str:
    """Return a number in short form.

    Examples
    --------
    >>> _short(900), _short(2048), _short(3_000_000)
    ('900', '2,048', '3M')
    """
    value = float(value)
    for unit, least, name in ((1e9, 1e9, "G"), (1e6, 1e6, "M"), (1e3, 1e5, "k")):
        if value >= least:
            return f"{value / unit:.3g}{name}"
    return f"{value:,.0f}"
