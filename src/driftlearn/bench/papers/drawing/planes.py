"""Figures of the plane: the rotating checkerboard, and classes with their decision regions."""

from collections.abc import Callable
from typing import Any

import numpy as np

from driftlearn.bench.papers.outcome import Outcome
from driftlearn.bench.report._matplotlib import legend_above, new_figure, styled
from driftlearn.bench.report._style import INK, PALETTE

N_SNAPSHOTS = 6
TILES = 51  # points per side of the test grid
COLORS = PALETTE[0], PALETTE[4]
SIDE = 301  # points per side of the boundary grid: enough for smooth boundaries in print
BOUNDARY = {"color": INK, "linestyle": "solid", "linewidth": 1.6}
POINTS = {"marker": "o", "markersize": 5, "linestyle": "none", "markeredgewidth": 0}


@styled
def snapshots(outcome: Outcome) -> Any:
    """Draw six snapshots of the rotating checkerboard over half a turn.

    The tiles are the points of the test grid, the circles the training rows, 50 of each class.
    """
    stream = outcome.experiment.streams["checkerboard"](0)
    figure, panels = new_figure(8, 5.9, N_SNAPSHOTS, N_SNAPSHOTS // 2)
    steps = np.linspace(0, (stream.n_steps - 1) / 2, N_SNAPSHOTS, endpoint=False).astype(int)
    edges = np.linspace(0, 1, TILES)
    for panel, step in zip(panels, steps.tolist()):
        _, tiles = stream.grid_test(step, TILES)
        X, y, _ = next(stream.chunks(start=step * stream.chunk_size))
        second = (tiles == stream.classes[1]).reshape(TILES, TILES)
        panel.contourf(edges, edges, second, levels=[-0.5, 0.5, 1.5], colors=COLORS, alpha=0.22)
        for label, color in zip(stream.classes, COLORS):
            panel.scatter(*X[y == label].T, s=22, color=color, edgecolor="white", linewidth=0.5)
        share = step / (stream.n_steps - 1)
        panel.set_title(f"t = {share:.2f}, turned by {360 * share:.0f}°")
        panel.set(xlim=(0, 1), ylim=(0, 1), xticks=(0, 0.5, 1), yticks=(0, 0.5, 1), aspect="equal")
        panel.grid(False)
    return figure


@styled
def regions(
    outcome: Outcome, *, stream: str, scores: Callable[[Any, np.ndarray], np.ndarray]
) -> Any:
    """Draw the test rows of a stream over the regions in which each class has the highest score.

    Parameters
    ----------
    outcome : Outcome
        An outcome of the experiment, which may be empty: only its stream is used.
    stream : str
        The stream; its two features are the axes.
    scores : callable
        Returns the score of each class, given the stream and points of the plane.

    Returns
    -------
    matplotlib.figure.Figure
    """
    source = outcome.experiment.streams[stream](0)
    X, y = source.test_set(0)
    figure, (axes,) = new_figure(6.8, 6.4)
    low, high = np.floor(2 * X.min(axis=0)) / 2, np.ceil(2 * X.max(axis=0)) / 2
    x1, x2 = np.meshgrid(*(np.linspace(a, b, SIDE) for a, b in zip(low, high)))
    found = scores(source, np.column_stack([x1.ravel(), x2.ravel()]))
    colors = dict(zip(source.classes.tolist(), PALETTE))
    for column, (label, color) in enumerate(colors.items()):
        lead = found[:, column] - np.delete(found, column, axis=1).max(axis=1)
        lead = lead.reshape(x1.shape)
        axes.contourf(x1, x2, lead, levels=[0, np.inf], colors=[color], alpha=0.14)
        axes.contour(x1, x2, lead, levels=[0], colors=INK, linewidths=BOUNDARY["linewidth"])
        axes.scatter(*X[y == label].T, s=13, color=color, edgecolor="white", linewidth=0.3)
    axes.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]), aspect="equal",
             xlabel=source.feature_names[0], ylabel=source.feature_names[1])  # fmt: skip
    axes.grid(False)
    classes = {f"class {label}": {"color": color, **POINTS} for label, color in colors.items()}
    legend_above(figure, {}, {**classes, "decision boundary": BOUNDARY})
    return figure
