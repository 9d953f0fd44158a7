"""Figure 2 of S0: the rotating checkerboard."""

from typing import Any

import numpy as np

from driftlearn.bench.papers.outcome import Outcome
from driftlearn.bench.report._matplotlib import new_figure, styled
from driftlearn.bench.report._style import PALETTE

N_SNAPSHOTS = 6
SIDE = 51  # points of the test grid in each direction
COLORS = PALETTE[0], PALETTE[4]


@styled
def snapshots(outcome: Outcome) -> Any:
    """Draw six snapshots of the rotating checkerboard over half a turn.

    The tiles are the points of the test grid, the circles the training rows, 50 of each class.
    """
    stream = outcome.experiment.streams["checkerboard"](0)
    figure, panels = new_figure(8, 5.9, N_SNAPSHOTS, N_SNAPSHOTS // 2)
    steps = np.linspace(0, (stream.n_steps - 1) / 2, N_SNAPSHOTS, endpoint=False).astype(int)
    edges = np.linspace(0, 1, SIDE)
    for panel, step in zip(panels, steps.tolist()):
        _, tiles = stream.grid_test(step, SIDE)
        X, y, _ = next(stream.chunks(start=step * stream.chunk_size))
        second = (tiles == stream.classes[1]).reshape(SIDE, SIDE)
        panel.contourf(edges, edges, second, levels=[-0.5, 0.5, 1.5], colors=COLORS, alpha=0.22)
        for label, color in zip(stream.classes, COLORS):
            panel.scatter(*X[y == label].T, s=22, color=color, edgecolor="white", linewidth=0.5)
        share = step / (stream.n_steps - 1)
        panel.set_title(f"t = {share:.2f}, turned by {360 * share:.0f}°")
        panel.set(xlim=(0, 1), ylim=(0, 1), xticks=(0, 0.5, 1), yticks=(0, 0.5, 1), aspect="equal")
        panel.grid(False)
    return figure
