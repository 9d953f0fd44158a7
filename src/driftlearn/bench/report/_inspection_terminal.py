"""An inspected model on the terminal: tables that fit its width, and a view that changes."""

from __future__ import annotations

from typing import Any

import numpy as np
from rich.console import Group
from rich.text import Text

from driftlearn.bench.report._terminal import Fitted
from driftlearn.inspection.inspection import Inspection
from driftlearn.utils._layout import Column
from driftlearn.utils.safe_text import printable
from driftlearn.utils.table import Table
from driftlearn.utils.terminal import styled

BLOCKS = "▁▂▃▄▅▆▇█"
SPARKS = 60  # signs of a sparkline: with its name they fit into 80 columns
SHOWN = 10
MORE = "--json has all"
#: What matters least, and is left out first where there is no room.
LAST = {
    "members": ("bytes", "classes"),
    "features": ("psi", "changes"),
    "accuracy": ("tested",),
    "events": ("what", "row"),
    "drifting": ("bytes", "changes"),
    "worst": ("bytes", "rows since", "changes"),
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
        parts += [Text(), *part(inspection, name, most)]
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
            parts += [Text(), *part(inspection, name, most)]
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


def part(inspection: Inspection, name: str, most: int) -> list[Any]:
    """Return a table below its title."""
    table = inspection.tables[name]
    title, newest = inspection.titles[name], name in inspection.newest
    if len(table) > most:
        title += f" (the {'newest' if newest else 'first'} {most} of {len(table)})"
    if not len(table):
        return [styled(f"{title}: none", "bold")]
    return [styled(title, "bold"), _fitted(table, LAST.get(name, ()), most, newest)]


def _fitted(table: Table, last: tuple[str, ...], most: int, newest: bool) -> Fitted:
    """Return the first or the newest rows; what matters least is last, and first to be left out."""
    if "time" in table.columns and not _is_none(table["time"][-1]):
        last = (*last, "file")
    part = table[-most:] if newest else table[:most]
    columns = []
    for name in sorted(part.columns, key=lambda name: name in last):
        values = part[name]
        if not all(_is_none(value) for value in values):
            numbers = all(isinstance(v, int | float | np.number) or v is None for v in values)
            cells = [printable(_word(value)) for value in values]
            columns.append(Column(printable(name), cells, numbers))
    return Fitted(columns, MORE)


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
