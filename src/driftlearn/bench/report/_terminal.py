"""Results and inspections as tables and sparklines for the terminal."""

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
from rich.console import Console, ConsoleOptions, Group, RenderResult
from rich.text import Text

from driftlearn.evaluate._repeat import AnyResult, Results
from driftlearn.inspection.inspection import LEAST_BINS, Inspection, KeysInspection
from driftlearn.utils.safe_text import printable
from driftlearn.utils.sparkline import thinned
from driftlearn.utils.table import Column, Table, lay_out
from driftlearn.utils.terminal import Screen, styled

#: Columns of a summary on a terminal, with short headings for narrow terminals.
COLUMNS = {
    "accuracy": "acc.", "std": "", "balanced_accuracy": "bal. acc.", "kappa": "",
    "kappa_temporal": "kappa temp.", "auc": "", "recovery": "recov.",
    "anytime_accuracy": "anyt. acc.", "forgetting": "forget.", "members": "memb.", "rows/s": "",
}  # fmt: skip
WHOLE = ("members", "rows/s")  # metrics shown without decimals
ENDLESS = 10_000  # width of a pipe or file, so that no lines are wrapped
MORE = "use --json or a wider terminal to see them"
BLOCKS = "▁▂▃▄▅▆▇█"
SPARK_LABEL = 17  # characters before and after a sparkline
LEAST_RANGE = 0.1  # least difference of accuracies over the height of a sparkline
RECENT_SPANS = 10  # spans over which the baselines beside it are averaged
SHOWN = 10  # maximum number of rows of a table
#: The least important columns, which are omitted first if the terminal is too narrow.
LAST = {
    "members": ("bytes", "classes"),
    "features": ("psi", "changes", "p", "high", "low"),
    "changes": ("training rows", "recovered", "high", "low"),
    "target": ("high", "low"),
    "accuracy": ("tested",),
    "events": ("kind", "row"),
    "worse": ("bytes", "changes"),
    "better": ("bytes", "changes"),
    "worst": ("bytes", "rows since", "changes"),
}
#: Tables of the live view and of keyed models, with their numbers of rows.
LIVE = {"changes": 3, "features": 5, "events": 5, "members": 5}
KEYED = dict.fromkeys(("worse", "better", "worst", "predictions", "pool", "reasons"), 5)


def console(**options: Any) -> Screen:
    """Return a console that does not wrap lines in pipes and files."""
    found = Screen(**options)
    if not found.is_terminal:
        found.width = ENDLESS
    return found


def blocks(values: Any, width: int, high: float = 1.0, low: float = 0.0) -> str:
    """Return a sparkline of block characters; nan is a gap, and too many values are averaged.

    Examples
    --------
    >>> blocks([0.0, 0.5, 1.0, float("nan")], 10)
    '▁▅█ '
    """
    shares = (thinned(values, width) - low) / ((high - low) or 1.0)
    return "".join(
        " " if np.isnan(share) else BLOCKS[int(np.clip(share * len(BLOCKS), 0, len(BLOCKS) - 1))]
        for share in shares
    )


class Fitted:
    """Table that fits the width of the terminal and lists the omitted columns.

    Marked cells are bold on a terminal; in pipes and files, they are followed by an asterisk.

    Parameters
    ----------
    columns : sequence of Column
        The columns.
    more : str
        Hint on how to see the omitted columns.
    """

    def __init__(self, columns: Sequence[Column], more: str = MORE):
        self.columns = columns
        self.more = more

    def __rich_console__(self, screen: Console, options: ConsoleOptions) -> RenderResult:
        width = options.max_width if screen.is_terminal else None
        lines, left_out = lay_out(self.columns, width, stars=not screen.is_terminal)
        for line in lines:
            yield Text.assemble(*((text, "bold" if out else "") for text, out in line))
        if left_out:
            yield Text(f"… left out: {', '.join(left_out)}; {self.more}")


def show(screen: Screen, columns: Sequence[Column], title: str = "", more: str = MORE) -> None:
    """Print a title and a table that fits the terminal."""
    if title:
        screen.print(styled(title, "italic"))
    screen.print(Fitted(columns, more))


def summary(result: AnyResult) -> list[Column]:
    """Return the summary table of a result, with the best value of each column marked."""
    scores = result.table()
    columns = [Column("learner", [printable(name) for name in scores["learner"]])]
    for name, short in COLUMNS.items():
        if name in scores.columns:
            marked = scores.marked.get(name, ())
            title = name.replace("_", " ")
            columns.append(_numbers(title, scores[name], marked, short, name in WHOLE))
    return columns


def matrix(results: Results) -> list[Column]:
    """Return a table of mean accuracies by learner and stream, with the best per stream marked.

    The columns are the streams or the learners, whichever are fewer.
    """
    learners = list(dict.fromkeys(name for result in results.values() for name in result.names))
    values = np.array([
        [result.summary(name)["accuracy"] if name in result.names else np.nan for name in learners]
        for result in results.values()
    ])  # fmt: skip
    best = values == np.nanmax(np.where(np.isnan(values), -1, values), axis=1, keepdims=True)
    first, rows, columns = "stream", list(results), learners
    if len(results) < len(learners):
        first, rows, columns, values, best = "learner", learners, list(results), values.T, best.T
    return [Column(first, [*map(printable, rows)])] + [
        _numbers(printable(name), values[:, k], np.flatnonzero(best[:, k]).tolist())
        for k, name in enumerate(columns)
    ]


def _numbers(
    title: str, values: Any, marked: Collection[int], short: str = "", whole: bool = False
) -> Column:
    """Return a column of numbers, and a version with fewer decimals for narrow terminals."""
    cells, fewer = (
        ["-" if np.isnan(value) else f"{value:,.{0 if whole else n}f}" for value in values]
        for n in (4, 3)
    )
    return Column(title, cells, True, marked, short, fewer)


def view(inspection: Inspection) -> Group:
    """Return all tables of an inspection for a terminal."""
    return Group(
        styled(inspection.title, "bold"),
        *map(styled, inspection.sentences),
        *_parts(inspection, dict.fromkeys(inspection.tables, SHOWN), empty=True),
    )


def live_view(inspection: Inspection, note: str = "", width: int = 80) -> Group:
    """Return the view of `driftlearn watch`: accuracy over time, changes, events and members.

    The note is first, because a small terminal may show only the first lines.
    """
    if isinstance(inspection, KeysInspection):
        view = keys_view(inspection)
        return Group(*([styled(note, "dim")] if note else []), view)
    lines: list[Any] = [styled(inspection.title, "bold"), *([styled(note, "dim")] if note else [])]
    lines += map(styled, inspection.sentences[1:])
    accuracy = inspection.tables.get("accuracy")
    if accuracy is not None and accuracy["tested"].any():
        lines += [Text(), *_accuracy_lines(inspection, accuracy, width - SPARK_LABEL)]
    return Group(*lines, *_parts(inspection, LIVE))


def _accuracy_lines(inspection: Inspection, table: Table, width: int) -> list[Text]:
    """Return the accuracy over time on the scale of the data, drifts below it, and baselines."""
    tested = table["tested"].astype(float)
    values = np.where(tested > 0, table["accuracy"], np.nan)
    known = values[~np.isnan(values)]
    # A range of less than ten points would make noise look like drift.
    low, high = float(known.min()), float(known.max())
    low = max(0.0, min(low, high - LEAST_RANGE))
    lines = [_line(f"{'accuracy':>10}", blocks(values, width, high, low), f"{known[-1]:.3f}")]
    starts, n = table["first row"].astype(int), len(values)
    drifts = np.searchsorted(starts, inspection.drift_rows, side="right") - 1
    if len(drifts):
        marks = [" "] * min(n, width)
        for k in drifts.tolist():
            marks[min(k * len(marks) // n, len(marks) - 1)] = "▲"
        lines.append(_line(f"{'drift':>10}", "".join(marks), ""))
    recent = tested[-RECENT_SPANS:]
    beside = [f"{name} {(table[name][-RECENT_SPANS:] * recent).sum() / recent.sum():.3f}"
              for name in ("no change", "majority") if recent.sum()]  # fmt: skip
    lines.append(_line(" " * 10, f"scale {low:.2f} to {high:.2f}; {', '.join(beside)}", ""))
    return lines


def keys_view(inspection: Inspection) -> Group:
    """Return the most important tables of keyed models for a terminal."""
    lines: list[Any] = [styled(f"one model per key: {inspection.title}", "bold")]
    lines += [*map(styled, inspection.sentences), Text()]
    tables = inspection.tables
    if "accuracy" in tables:
        for label, column in (("predictions", "accuracy"), ("global", "global")):
            values = tables["accuracy"][column]
            if not np.isnan(values).all():
                label, last = f"{label}, over the stream", f"{values[~np.isnan(values)][-1]:.3f}"
                lines.append(_line(f"{label:>24}", blocks(values, 40), last))
    for name, label in (("accuracies", "accuracy"), ("rows", "rows"), ("sizes", "bytes")):
        table = tables[name]
        there = np.flatnonzero(table["keys"])
        if len(there) >= LEAST_BINS:
            table = table[int(there[0]) : int(there[-1]) + 1]
            ends = f"{table['from'][0]:,.4g} to {table['to'][-1]:,.10g}"
            label = f"keys, by {label}"
            # bins without keys are shown as gaps
            counts = np.where(table["keys"] > 0, table["keys"], np.nan)
            lines.append(_line(f"{label:>24}", blocks(counts, len(table), np.nanmax(counts)), ends))
    return Group(*lines, *_parts(inspection, KEYED))


def _line(label: str, signs: str, after: str) -> Text:
    """Return a line with label, sparkline and number."""
    return Text(f"{label} ", style="dim") + Text(f"{signs} {after}")


def _parts(inspection: Inspection, most: dict[str, int], empty: bool = False) -> list[Any]:
    """Return titles and tables, with a limited number of rows."""
    lines: list[Any] = []
    for name, n in most.items():
        table = inspection.tables.get(name)
        if table is None or not (len(table) or empty):
            continue
        shown, which = inspection._excerpt(name, n)
        title = inspection.titles[name] + (f" ({which})" if which else "")
        lines += [Text(), styled(title if len(table) else f"{title}: none", "bold")]
        if len(table):
            lines.append(_fitted(shown, LAST.get(name, ())))
    return lines


def _fitted(table: Table, last: tuple[str, ...]) -> Fitted:
    """Return a table without empty columns, with the least important columns last."""
    if "time" in table.columns and not _is_none(table["time"][-1]):
        last = (*last, "file")
    columns = []
    for name in sorted(table.columns, key=lambda name: name in last):
        values = table[name]
        if not all(map(_is_none, values)):
            numbers = all(isinstance(v, int | float | np.number) or v is None for v in values)
            columns.append(Column(printable(name), [*map(_text, values)], numbers))
    return Fitted(columns, "use --json to see everything")


def _is_none(value: Any) -> bool:
    return value is None or value != value or (isinstance(value, str) and not value)


def _text(value: Any) -> str:
    if _is_none(value):
        return "-"
    if isinstance(value, float | np.floating):
        return f"{value:.4g}"
    return f"{value:,}" if isinstance(value, int | np.integer) else printable(value)
