"""Figure 2 of S0: the checkerboard as it turns."""

from __future__ import annotations

from typing import Any

import numpy as np

from driftlearn.bench.papers.outcome import Outcome
from driftlearn.bench.report._style import PALETTE, new_figure, styled

N_SNAPSHOTS = 6


@styled
def snapshots(outcome: Outcome) -> Any:
    """Draw six snapshots of the rotating checkerboard, half a turn.

    The tiles are the points of the test grid, the circles the rows that are learned from, 50 of
    each class.
    """
    stream = outcome.experiment.streams["checkerboard"](0)
    figure, panels = new_figure(8, 5.9, 2, N_SNAPSHOTS // 2)
    steps = np.linspace(0, (stream.n_steps - 1) / 2, N_SNAPSHOTS, endpoint=False).astype(int)
    for panel, step in zip(panels.flat, steps.tolist()):
        side = 51
        _, y = stream.grid_test(step, side)
        colours = [PALETTE[0], PALETTE[4]]
        for label, colour in zip(stream.classes, colours):
            shade = np.where(y == label, 1.0, np.nan).reshape(side, side)
            panel.pcolormesh(
                np.linspace(0, 1, side), np.linspace(0, 1, side), shade,
                cmap=_single(colour), alpha=0.22, rasterized=True,
            )  # fmt: skip
        X, y, _ = next(stream.chunks(start=step * stream.chunk_size))
        for label, colour in zip(stream.classes, colours):
            rows = X[y == label]
            panel.scatter(*rows.T, s=22, color=colour, edgecolor="white", linewidth=0.5)
        share = step / (stream.n_steps - 1)
        panel.set_title(f"t = {share:.2f}, turned by {360 * share:.0f}°")
        panel.set_aspect("equal")
        panel.set(xlim=(0, 1), ylim=(0, 1), xticks=(0, 0.5, 1), yticks=(0, 0.5, 1))
        panel.grid(False)
    return figure


def _single(colour: str) -> Any:
    from matplotlib.colors import ListedColormap

    return ListedColormap([colour])
