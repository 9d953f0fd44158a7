"""A table as a picture: what is printed and what came out, side by side."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from driftlearn.bench.papers.drawing.legend_above import legend_above
from driftlearn.bench.papers.outcome import Outcome
from driftlearn.bench.report._style import FAINT, PALETTE, new_figure, styled

OURS = {"marker": "o", "markersize": 6, "linestyle": "none"}
PRINTED = {"marker": "o", "markersize": 6.5, "linestyle": "none", "markerfacecolor": "white"}


@styled
def dots(
    outcome: Outcome,
    *,
    by: str = "learner",
    metric: str = "accuracy",
    label: str = "accuracy in percent",
    log: bool = False,
    learners: Sequence[str] | None = None,
) -> Any:
    """Draw published and own values, joined by a line; the bar is a standard deviation over seeds.

    Parameters
    ----------
    outcome : Outcome
        What came out.
    by : {"learner", "stream"}
        What has a panel of its own; the other one has a row.
    metric : str
        Accuracy, or one of the experiment's `further`.
    label : str
        What the axis at the bottom shows.
    log : bool
        Whether that axis is logarithmic.
    learners : sequence of str, optional
        Which learners; all that were run.

    Returns
    -------
    matplotlib.figure.Figure
    """
    experiment, results = outcome.experiment, outcome.results
    printed = experiment.numbers if metric == "accuracy" else experiment.further[metric]
    names = next(iter(results.values())).names
    names = [name for name in names if learners is None or name in learners]
    streams = list(results)
    outer, inner = (names, streams) if by == "learner" else (streams, names)
    figure, grid = new_figure(9.5, 1.5 + 0.24 * len(inner), 1, len(outer))
    for k, (axes, panel) in enumerate(zip(grid.flat, outer)):
        colour = PALETTE[k % len(PALETTE)]
        for y, row in enumerate(inner):
            stream, name = (row, panel) if by == "learner" else (panel, row)
            ours = outcome.value(stream, name, metric)
            known = printed.get(stream, {}).get(name, np.nan)
            axes.plot([ours, known], [y, y], color=FAINT, linewidth=1)
            axes.plot(known, y, color=colour, **PRINTED)
            axes.plot(ours, y, color=colour, **OURS)
            if metric == "accuracy" and len(results[stream].seeds) > 1:
                axes.errorbar(
                    ours, y, xerr=outcome.value(stream, name, "std"), color=colour, linewidth=1.2
                )
        axes.set_title(panel)
        axes.grid(True, axis="x")
        axes.set_yticks(range(len(inner)), inner)
        axes.set_ylim(len(inner) - 0.5, -0.5)
        if log:
            axes.set_xscale("log")
        else:
            axes.xaxis.get_major_locator().set_params(nbins=5)
    figure.supxlabel(label, fontsize=10)
    legend_above(figure, {}, {"published": PRINTED, "ours": OURS})
    return figure
