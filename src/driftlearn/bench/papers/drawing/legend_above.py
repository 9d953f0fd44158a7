"""Which mark is whose, and which is the paper's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from driftlearn.bench.report._style import INK

#: Points that a character takes, and the characters' room that a line and its margins take.
CHARACTER, SAMPLE = 5.3, 9


def legend_above(
    figure: Any,
    looks: Mapping[str, tuple[str, str]],
    marks: Mapping[str, Mapping[str, Any]] | None = None,
) -> None:
    """Put a legend above all panels: a line a name, then grey marks that stand for all of them.

    Parameters
    ----------
    figure : Figure
        What is drawn on.
    looks : mapping of str to pair of str
        Colour and dash of each name.
    marks : mapping of str to mapping
        For what holds of every name, as in "published", how its line looks.
    """
    from matplotlib.lines import Line2D

    styles: list[dict[str, Any]] = [{"color": c, "linestyle": dash} for c, dash in looks.values()]
    lines = [Line2D([], [], **style) for style in styles]
    labels = list(looks)
    for label, options in (marks or {}).items():
        lines.append(Line2D([], [], **{"color": INK, **options}))
        labels.append(label)
    columns = fitting(labels, 72 * figure.get_figwidth())
    figure.legend(lines, labels, loc="outside upper left", ncols=columns)


def fitting(labels: Sequence[str], width: float) -> int:
    """Return in how many columns labels fit into a width, given in points.

    Examples
    --------
    >>> fitting(["DTEL", "SEA", "Learn++.NSE", "AUE2", "TIX"], 500), fitting(["a" * 30] * 4, 500)
    (5, 2)
    """
    for columns in range(len(labels), 1, -1):
        parts = np.array_split(np.array([len(label) for label in labels]), columns)
        if sum(CHARACTER * (part.max() + SAMPLE) for part in parts) <= width:
            return columns
    return 1
