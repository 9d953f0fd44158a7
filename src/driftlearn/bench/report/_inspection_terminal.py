"""An inspected model on the terminal: tables that fit its width, and a live view."""

from __future__ import annotations

from typing import Any

import numpy as np
from rich.console import Group
from rich.text import Text

from driftlearn.bench.report._terminal import Fitted, blocks
from driftlearn.inspection.inspection import Inspection
from driftlearn.utils._layout import Column
from driftlearn.utils.safe_text import printable
from driftlearn.utils.table import Table
from driftlearn.utils.terminal import styled

SPARKS = 60  # characters of a sparkline: with its label it fits into 80 columns
SHOWN = 10  # rows of a table
MORE = "use --json to see everything"
#: The least important columns, which are left out first if the terminal is too narrow.
LAST = {
    "members": ("bytes", "classes"),
    "features": ("psi", "changes"),
    "accuracy": ("tested",),
    "events": ("kind", "row"),
    "drifting": ("bytes", "changes"),
    "worst": ("bytes", "rows since", "changes"),
}
#: Tables of a live view and of one model per key, with their rows.
LIVE = {"changes": 3, "features": 5, "events": 5, "members": 5}
KEYED = dict.fromkeys(("drifting", "worst", "predictions", "pool", "reasons"), 5)


def view(inspection: Inspection) -> Group:
    """Return all tables of an inspection for a terminal."""
    return Group(
        styled(inspection.title, "bold"),
        *map(styled, inspection.sentences),
        *_parts(inspection, dict.fromkeys(inspection.tables, SHOWN), empty=True),
    )


def live_view(inspection: Inspection, note: str = "") -> Group:
    """Return what `driftlearn watch` shows: accuracy over time, changes, events, members.

    The note comes first, because a small terminal may show only the first lines.
    """
    lines: list[Any] = [styled(inspection.title, "bold"), *([styled(note, "dim")] if note else [])]
    lines += map(styled, inspection.sentences[1:])
    accuracy = inspection.tables.get("accuracy")
    if accuracy is not None and len(accuracy):
        for label, column in {"model": "accuracy", "no change": "no change",
                              "majority": "majority"}.items():  # fmt: skip
            values = accuracy[column]
            lines.append(_line(f"{label:>10}", blocks(values, SPARKS), f"{values[-1]:.3f}"))
    return Group(*lines, *_parts(inspection, LIVE))


def keys_view(inspection: Inspection) -> Group:
    """Return the most important tables of one model per key for a terminal."""
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
        if len(there):
            table = table[int(there[0]) : int(there[-1]) + 1]
            ends = f"{table['from'][0]:,.4g} to {table['to'][-1]:,.10g}"
            label = f"keys, by {label}"
            counts = np.where(table["keys"] > 0, table["keys"], np.nan)  # none is a gap
            lines.append(_line(f"{label:>24}", blocks(counts, len(table), np.nanmax(counts)), ends))
    return Group(*lines, *_parts(inspection, KEYED))


def _line(label: str, signs: str, after: str) -> Text:
    return Text(f"{label} ", style="dim") + Text(f"{signs} {after}")


def _parts(inspection: Inspection, most: dict[str, int], empty: bool = False) -> list[Any]:
    """Return tables below their titles, with at most so many rows."""
    lines: list[Any] = []
    for name, n in most.items():
        table = inspection.tables.get(name)
        if table is None or not (len(table) or empty):
            continue
        title, newest = inspection.titles[name], name in inspection.newest
        if len(table) > n:
            title += f" (the {'newest' if newest else 'first'} {n} of {len(table)})"
        title += "" if len(table) else ": none"
        lines += [Text(), styled(title, "bold")]
        if len(table):
            lines.append(_fitted(table[-n:] if newest else table[:n], LAST.get(name, ())))
    return lines


def _fitted(table: Table, last: tuple[str, ...]) -> Fitted:
    """Return a table without unknown columns, the least important ones last."""
    if "time" in table.columns and not _is_none(table["time"][-1]):
        last = (*last, "file")
    columns = []
    for name in sorted(table.columns, key=lambda name: name in last):
        values = table[name]
        if not all(_is_none(value) for value in values):
            numbers = all(isinstance(v, int | float | np.number) or v is None for v in values)
            columns.append(Column(printable(name), [*map(_text, values)], numbers))
    return Fitted(columns, MORE)


def _is_none(value: Any) -> bool:
    return value is None or value != value or (isinstance(value, str) and not value)


def _text(value: Any) -> str:
    if _is_none(value):
        return "-"
    if isinstance(value, float | np.floating):
        return f"{value:.4g}"
    return f"{value:,}" if isinstance(value, int | np.integer) else printable(value)
