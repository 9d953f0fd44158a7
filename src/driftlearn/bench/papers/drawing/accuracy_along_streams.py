"""Accuracy along a stream: what most figures of the papers show."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from driftlearn.bench.papers.drawing.legend_above import legend_above
from driftlearn.bench.papers.outcome import Outcome
from driftlearn.bench.report._style import (
    automatic_width,
    curve,
    looks,
    mark_drifts,
    new_figure,
    styled,
)

Panel = tuple[str, Sequence[str]]
AXES = {"row": "row of the stream", "chunk": "chunk", "time": "time"}
LEVEL = {"marker": 4, "markersize": 7, "linestyle": "none", "markeredgewidth": 0}


@styled
def courses(
    outcome: Outcome,
    *,
    panels: Mapping[str, Panel] | None = None,
    columns: int = 1,
    over: str = "row",
    names: Mapping[str, str] | None = None,
    smooth: int | None = None,
) -> Any:
    """Draw accuracy along streams; a mark at the right is the mean that the paper prints.

    Parameters
    ----------
    outcome : Outcome
        What came out. Streams and learners that were not run are passed over.
    panels : mapping of str to pair
        For each panel's title, a stream and some learners; by default a panel a stream with all.
    columns : int
        How many panels beside each other.
    over : {"row", "chunk", "time"}
        What is at the bottom; time goes from 0 to 1.
    names : mapping of str to str
        What learners are called in the legend, where that is not their name; learners of the same
        name share a colour.
    smooth : int, optional
        Over how many chunks to average; chosen by default.

    Returns
    -------
    matplotlib.figure.Figure
    """
    experiment = outcome.experiment
    if panels is None:
        panels = {stream: (stream, tuple(experiment.learners)) for stream in experiment.streams}
    panels = {
        title: (stream, [name for name in some if name in outcome.results[stream].names])
        for title, (stream, some) in panels.items()
        if stream in outcome.results
    }
    panels = {title: panel for title, panel in panels.items() if panel[1]}
    called = {name: (names or {}).get(name, name) for _, some in panels.values() for name in some}
    colours = looks(list(dict.fromkeys(called.values())))
    rows = -(-len(panels) // columns)
    width, height = (8, 1.1 + 2.9 * rows) if columns == 1 else (9.5, 1.0 + 1.85 * rows)
    figure, grid = new_figure(width, height, rows, columns, share=False)
    smoothest, levels = 1, False
    for axes, (title, (stream, some)) in zip(grid.flat, panels.items()):
        result = outcome.results[stream]
        printed = experiment.numbers.get(stream, {})
        wide = automatic_width(len(result.rows(some[0]))) if smooth is None else smooth
        smoothest = max(smoothest, wide)
        for name in some:
            colour, dash = colours[called[name]]
            x = _positions(result.rows(name), over)
            middle, off = curve(100 * result.scores(name), wide)
            axes.plot(x, middle, color=colour, linestyle=dash, linewidth=1.3)
            if off is not None and len(result.seeds) > 1 and columns < 3:
                axes.fill_between(x, middle - off, middle + off, color=colour, alpha=0.13, lw=0)
            if name in printed:
                levels = True
                axes.plot(
                    1.012, printed[name], color=colour, transform=axes.get_yaxis_transform(),
                    clip_on=False, **LEVEL,
                )  # fmt: skip
        _bottom(axes, result, some[0], over, words=columns == 1)
        axes.set_title(title)
        if columns == 1:
            axes.set_xlabel(AXES[over])
    for axes in grid.flat[len(panels) :]:
        axes.set_visible(False)
    mean = "" if smoothest == 1 else f", mean of {smoothest} chunks"
    if columns == 1:
        for axes in grid.flat:
            axes.set_ylabel(f"accuracy in percent{mean}".replace(", ", ",\n"))
    else:
        figure.supxlabel(AXES[over], fontsize=10)
        figure.supylabel(f"accuracy in percent{mean}", fontsize=10)
    if levels:
        figure.get_layout_engine().set(rect=(0, 0, 0.985, 1))
    marks = {"mean that the paper prints": LEVEL} if levels else {}
    legend_above(figure, colours, marks)
    return figure


def _positions(rows: np.ndarray, over: str) -> np.ndarray:
    """Return where the points of a curve stand."""
    if over == "chunk":
        return np.arange(1, len(rows) + 1)
    return rows / rows[-1] if over == "time" else rows


def _bottom(axes: Any, result: Any, name: str, over: str, words: bool) -> None:
    """Set the limits of the axis at the bottom, and mark the drifts on it."""
    rows = result.rows(name)
    last = _positions(rows, over)[-1]
    axes.set_xlim(0, last)
    drifts = np.asarray(result.drifts, dtype=float)
    drifts = drifts[drifts < rows[-1]]
    if over != "row" and len(drifts):
        drifts = drifts / rows[-1] * last
    if len(drifts) < 20:
        mark_drifts(axes, drifts.tolist(), text=words)
    if over == "row":
        axes.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
    axes.xaxis.get_major_locator().set_params(nbins=6 if words else 5, integer=over != "time")
