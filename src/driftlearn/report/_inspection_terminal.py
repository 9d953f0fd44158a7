"""An inspected model on the terminal: tables that fit its width, and a view that changes."""

from __future__ import annotations

from typing import Any

import numpy as np
from rich import box
from rich.console import Group
from rich.table import Table as RichTable
from rich.text import Text

from driftlearn._screen import styled
from driftlearn._table import Table
from driftlearn.inspection.inspection import TITLES, Inspection

BLOCKS = "▁▂▃▄▅▆▇█"
SPARKS = 60  # signs of a sparkline: with its name they fit into 80 columns
SHOWN = 10
NEWEST = ("accuracy", "changes", "events")
#: What a terminal has no room for.
LEFT_OUT = {
    "members": ("bytes", "classes"),
    "features": ("psi", "changes"),
    "accuracy": ("tested",),
    "events": ("what", "row"),
}


def view(inspection: Inspection, most: int = SHOWN) -> Group:
    """Return everything for a terminal.

    Parameters
    ----------
    inspection : Inspection
        What to show.
    most : int
        Rows of each table.
    """
    parts: list[Any] = [styled(inspection.title, "bold"), *map(styled, inspection.sentences)]
    for name in inspection.tables:
        parts += [Text(), *_part(inspection, name, most)]
    return Group(*parts)


def live_view(inspection: Inspection, note: str = "") -> Group:
    """Return what somebody who watches wants to see: accuracy, its course, events, members.

    A terminal may have room for the first lines only, so the note is among them.
    """
    parts: list[Any] = [styled(inspection.title, "bold"), *([styled(note, "dim")] if note else [])]
    parts += [styled(sentence) for sentence in inspection.sentences[1:]]
    if len(inspection.tables.get("accuracy", ())):
        shown = inspection.tables["accuracy"]
        for label, column in (("model", "accuracy"), ("no change", "no change"),
                              ("majority", "majority")):  # fmt: skip
            line = Text(f"{label:>10} ", style="dim") + Text(sparkline(shown[column]))
            parts.append(line + Text(f" {shown[column][-1]:.3f}"))
    for name, most in (("changes", 3), ("features", 5), ("events", 5), ("members", 5)):
        if len(inspection.tables.get(name, ())):
            parts += [Text(), *_part(inspection, name, most)]
    return Group(*parts)


def sparkline(values: Any, width: int = SPARKS) -> str:
    """Return shares as a line of blocks, from none to full, means where there are too many.

    Examples
    --------
    >>> sparkline([0.0, 0.5, 1.0])
    '▁▅█'
    """
    values = np.asarray(values, dtype=float)
    pieces = np.array_split(values, min(width, len(values))) if len(values) else []
    signs = ""
    for piece in pieces:
        known = piece[~np.isnan(piece)]
        k = int(np.clip(round(float(known.mean()) * 7), 0, 7)) if len(known) else -1
        signs += " " if k < 0 else BLOCKS[k]
    return signs


def _part(inspection: Inspection, name: str, most: int) -> list[Any]:
    table = inspection.tables[name]
    title = TITLES[name]
    if len(table) > most:
        title += f" (the {'newest' if name in NEWEST else 'first'} {most} of {len(table)})"
    if not len(table):
        return [styled(f"{title}: none", "bold")]
    return [styled(title, "bold"), _rich(table, LEFT_OUT.get(name, ()), most, name in NEWEST)]


def _rich(table: Table, left_out: tuple[str, ...], most: int, newest: bool) -> RichTable:
    rows = slice(-most, None) if newest else slice(most)
    found = RichTable(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
    shown = {}
    for name in table.columns:
        values = table[name][rows]
        timed = name == "file" and "time" in table.columns and not _is_none(table["time"][-1])
        if timed or name in left_out or all(_is_none(value) for value in values):
            continue
        shown[name] = values
        numbers = all(isinstance(v, int | float | np.number) or v is None for v in values)
        found.add_column(styled(name), justify="right" if numbers else "left", overflow="fold")
    for i in range(len(next(iter(shown.values()), ()))):
        found.add_row(*(styled(_word(values[i])) for values in shown.values()))
    return found


def _is_none(value: Any) -> bool:
    if isinstance(value, float | np.floating):
        return bool(np.isnan(value))
    return value is None or (isinstance(value, str) and not value)


def _word(value: Any) -> str:
    if _is_none(value):
        return "-"
    if isinstance(value, float | np.floating):
        return f"{value:.4g}"
    return f"{value:,}" if isinstance(value, int | np.integer) else str(value)
