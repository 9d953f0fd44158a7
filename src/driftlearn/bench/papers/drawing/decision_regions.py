"""Figure 3 of S4: classes in the plane and where each of them is decided for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from driftlearn.bench.papers.drawing.legend_above import legend_above
from driftlearn.bench.papers.outcome import Outcome
from driftlearn.bench.report._style import INK, PALETTE, new_figure, styled

#: Points of the grid on a side: enough that a boundary looks smooth on paper.
SIDE = 301
BOUNDARY = {"color": INK, "linestyle": "solid", "linewidth": 1.6}
POINTS = {"marker": "o", "markersize": 5, "linestyle": "none", "markeredgewidth": 0}


@styled
def regions(
    outcome: Outcome, *, stream: str, scores: Callable[[Any, np.ndarray], np.ndarray]
) -> Any:
    """Draw a stream's test rows over the regions in which each class has the highest score.

    Parameters
    ----------
    outcome : Outcome
        What is drawn is the experiment's stream alone; nothing need have been run.
    stream : str
        Which stream; its two features are the axes.
    scores : callable
        Given the stream and points of the plane, returns a score of each class.

    Returns
    -------
    matplotlib.figure.Figure
    """
    source = outcome.experiment.streams[stream](0)
    X, y = source.test_set(0)
    figure, panels = new_figure(6.8, 6.4)
    axes = panels[0, 0]
    low, high = np.floor(2 * X.min(axis=0)) / 2, np.ceil(2 * X.max(axis=0)) / 2
    x1, x2 = np.meshgrid(*(np.linspace(a, b, SIDE) for a, b in zip(low, high)))
    found = scores(source, np.column_stack([x1.ravel(), x2.ravel()]))
    colours = dict(zip(source.classes.tolist(), PALETTE))
    for column, (label, colour) in enumerate(colours.items()):
        lead = found[:, column] - np.delete(found, column, axis=1).max(axis=1)
        lead = lead.reshape(x1.shape)
        axes.contourf(x1, x2, lead, levels=[0, np.inf], colors=[colour], alpha=0.14)
        axes.contour(x1, x2, lead, levels=[0], colors=INK, linewidths=BOUNDARY["linewidth"])
        axes.scatter(*X[y == label].T, s=13, color=colour, edgecolor="white", linewidth=0.3)
    axes.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]), aspect="equal")
    axes.set(xlabel=source.feature_names[0], ylabel=source.feature_names[1])
    axes.grid(False)
    classes = {f"class {label}": {"color": colour, **POINTS} for label, colour in colours.items()}
    legend_above(figure, {}, {**classes, "decision boundary": BOUNDARY})
    return figure
