"""Accuracy along a stream, the subject of most figures in the papers."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from driftlearn.bench.papers.outcome import Outcome
from driftlearn.bench.report import _matplotlib as mpl
from driftlearn.bench.report._curves import curves
from driftlearn.bench.report._style import line_styles

Panel = tuple[str, Sequence[str]]
AXES = {"row": "row of the stream", "chunk": "chunk", "time": "time"}
LEVEL = {"marker": 4, "markersize": 7, "linestyle": "none", "markeredgewidth": 0}
MOST_DRIFTS = 20  # with more drifts than these, the lines would hide the curves


@mpl.styled
def courses(
    outcome: Outcome,
    *,
    panels: Mapping[str, Panel] | None = None,
    columns: int = 1,
    over: str = "row",
    names: Mapping[str, str] | None = None,
    smooth: int | None = None,
) -> Any:
    """Draw accuracy along streams; a mark at the right is the mean printed in the paper.

    Parameters
    ----------
    outcome : Outcome
        The outcome. Streams and learners that were not run are omitted.
    panels : mapping of str to pair
        The stream and the learners of each panel, by title; by default a panel per stream with all
        learners.
    columns : int
        Number of panels beside each other.
    over : {"row", "chunk", "time"}
        The horizontal axis; time goes from 0 to 1.
    names : mapping of str to str
        Names of learners in the legend, where they differ; learners of the same name share a
        color.
    smooth : int, optional
        Number of chunks of the moving average; chosen by default.

    Returns
    -------
    matplotlib.figure.Figure
    """
    experiment, results = outcome.experiment, outcome.results
    if panels is None:
        panels = {stream: (stream, tuple(experiment.learners)) for stream in experiment.streams}
    shown = {
        title: (stream, [name for name in some if name in results[stream].names])
        for title, (stream, some) in panels.items()
        if stream in results
    }
    shown = {title: panel for title, panel in shown.items() if panel[1]}
    called = {name: (names or {}).get(name, name) for _, some in shown.values() for name in some}
    styles = line_styles(list(dict.fromkeys(called.values())))
    rows = -(-len(shown) // columns)
    width, height = (8, 1.1 + 2.9 * rows) if columns == 1 else (9.5, 1.0 + 1.85 * rows)
    figure, grid = mpl.new_figure(width, height, len(shown), columns, share=False)
    widest, levels = 1, False
    for axes, (title, (stream, some)) in zip(grid, shown.items()):
        result, printed = results[stream], experiment.numbers.get(stream, {})
        found = curves(result, lambda run, name: 100 * run.scores(name), None,
                       True if smooth is None else smooth, some)  # fmt: skip
        widest, last = max(widest, found.width), found.rows[-1]
        scale = {"row": 1.0, "chunk": len(found.rows) / last, "time": 1 / last}[over]
        x = np.arange(1, len(found.rows) + 1) if over == "chunk" else found.rows * scale
        mpl.draw_curves(axes, found, {name: styles[called[name]] for name in some}, x=x,
                    band=columns < 3, linewidth=1.3)  # fmt: skip
        for name in (name for name in some if name in printed):
            levels = True
            axes.plot(1.012, printed[name], color=styles[called[name]][0], clip_on=False,
                      transform=axes.get_yaxis_transform(), **LEVEL)  # fmt: skip
        if over == "row":
            mpl.row_axis(axes, last)
        axes.set_xlim(0, last * scale)
        ticks = 6 if columns == 1 else 5
        axes.xaxis.get_major_locator().set_params(nbins=ticks, integer=over != "time")
        drifts = [drift * scale for drift in result.drifts if drift < last]
        mpl.mark_drifts(axes, drifts if len(drifts) < MOST_DRIFTS else [], text=columns == 1)
        axes.set_title(title)
    mean = "" if widest == 1 else f", mean of {widest} chunks"
    if columns == 1:
        for axes in grid:
            axes.set_xlabel(AXES[over])
            axes.set_ylabel(f"accuracy in percent{mean}".replace(", ", ",\n"))
    else:
        figure.supxlabel(AXES[over], fontsize=10)
        figure.supylabel(f"accuracy in percent{mean}", fontsize=10)
    if levels:
        figure.get_layout_engine().set(rect=(0, 0, 0.985, 1))
    mpl.legend_above(figure, styles, {"mean printed in the paper": LEVEL} if levels else {})
    return figure
