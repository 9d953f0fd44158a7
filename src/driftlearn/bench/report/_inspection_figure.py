"""An inspected model as a figure for a paper."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from driftlearn.bench.report._style import (
    FAINT,
    PALETTE,
    mark_drifts,
    new_figure,
    saved,
    styled,
    words,
)
from driftlearn.inspection.inspection import TITLES, Inspection

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST = 12  # bars


@styled
def draw_inspection(inspection: Inspection, path: str | Path | None = None) -> Figure:
    """Draw the parts of an inspection that have a picture, one below the other.

    Parameters
    ----------
    inspection : Inspection
        What to draw.
    path : str or Path, optional
        Where to save it; the ending says in which format.
    """
    draws = {"accuracy": _accuracy, "features": _bars, "importances": _bars, "calibration": _bins}
    there = [name for name in draws if len(inspection.tables.get(name, ()))]
    figure, axes = new_figure(7.0, 2.6 * max(len(there), 1), max(len(there), 1), share=False)
    for name, (one,) in zip(there, axes):
        draws[name](one, inspection, name)
        one.set_title(TITLES[name])
    return saved(figure, path)


def _accuracy(axes: Any, inspection: Inspection, name: str) -> None:
    shown = inspection.tables[name]
    for column, colour in zip(("accuracy", "no change", "majority"), PALETTE):
        label = "model" if column == "accuracy" else column
        axes.plot(shown["first row"], shown[column], color=colour, label=label)
    mark_drifts(axes, [row["after"] for row in inspection.tables.get("changes", ())], text=False)
    axes.set_xlabel("row")
    axes.legend(ncols=3, loc="lower right", bbox_to_anchor=(1.0, 0.97))


def _bars(axes: Any, inspection: Inspection, name: str) -> None:
    shown = inspection.tables[name]
    value = "importance" if name == "importances" else "effect"
    features = [words(feature) for feature in shown["feature"][:MOST]]
    axes.barh(np.arange(len(features)), shown[value][:MOST], color=PALETTE[0])
    axes.set_yticks(np.arange(len(features)), features)
    axes.invert_yaxis()
    axes.set_xlabel(value if name == "importances" else "total variation")


def _bins(axes: Any, inspection: Inspection, name: str) -> None:
    shown = inspection.tables[name]
    axes.plot([0, 1], [0, 1], color=FAINT, linestyle="dashed")
    axes.plot(shown["mean confidence"], shown["share right"], "o-", color=PALETTE[0])
    axes.set_xlabel("mean confidence")
    axes.set_ylabel("share right")
