"""A model for each key on the terminal: what matters, in few lines."""

from __future__ import annotations

from typing import Any

import numpy as np
from rich.console import Group
from rich.text import Text

from driftlearn.bench.report._inspection_terminal import BLOCKS, part, sparkline
from driftlearn.inspection.inspection import Inspection
from driftlearn.utils.terminal import styled

MOST = 5  # rows of a table
TABLES = ("drifting", "worst", "predictions", "pool", "reasons")


def keys_view(inspection: Inspection) -> Group:
    """Return everything for a terminal.

    Parameters
    ----------
    inspection : KeysInspection
        What to show.
    """
    name = f"a model for each key: {inspection.title}"
    parts: list[Any] = [styled(name, "bold"), *map(styled, inspection.sentences), Text()]
    tables = inspection.tables
    if "accuracy" in tables:
        for label, column in (("predictions", "accuracy"), ("global", "global")):
            values = tables["accuracy"][column]
            if not np.isnan(values).all():
                last = f" {values[~np.isnan(values)][-1]:.3f}"
                parts.append(_line(f"{label}, over the stream", sparkline(values, 40), last))
    for name, label in (("accuracies", "accuracy"), ("rows", "rows"), ("sizes", "bytes")):
        shown = tables[name]
        there = np.flatnonzero(shown["keys"])
        if len(there):
            some = shown[int(there[0]) : int(there[-1]) + 1]
            ends = f" {some['from'][0]:,.4g} to {some['to'][-1]:,.10g}"
            parts.append(_line(f"keys, by {label}", _heights(some["keys"]), ends))
    for name in TABLES:
        if len(tables.get(name, ())):
            parts += [Text(), *part(inspection, name, MOST)]
    return Group(*parts)


def _line(label: str, signs: str, behind: str) -> Text:
    return Text(f"{label:>24} ", style="dim") + Text(signs) + Text(behind)


def _heights(counts: Any) -> str:
    """Return counts as blocks, the most as a full one, none as a gap.

    Examples
    --------
    >>> _heights([0, 1, 8])
    ' ▁█'
    """
    top = max(max(counts), 1)
    return "".join(
        " " if not count else BLOCKS[int((len(BLOCKS) - 1) * count / top)] for count in counts
    )
