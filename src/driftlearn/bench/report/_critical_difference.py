"""The critical-difference diagram."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from driftlearn.bench.report._style import FAINT, INK, PALETTE, new_figure, saved, styled, words
from driftlearn.evaluate import significance

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@styled
def critical_difference(
    ranks: Mapping[str, float], n: int, path: str | Path | None = None, *, alpha: float = 0.05
) -> Figure:
    """Draw mean ranks on a line, the best at the left, and join those that cannot be told apart.

    Parameters
    ----------
    ranks : mapping of str to float
        Each learner's mean rank, as `driftlearn.evaluate.average_ranks` gives.
    n : int
        Over how many data sets.
    path : str or Path, optional
        Where to save the figure.
    alpha : float
        The level of Nemenyi's test.

    Returns
    -------
    matplotlib.figure.Figure

    References
    ----------
    Demšar, "Statistical comparisons of classifiers over multiple data sets", JMLR 7, 2006.
    """
    names = sorted(ranks, key=lambda name: ranks[name])
    k = len(names)
    gap = significance.nemenyi(k, n, alpha)
    groups = indistinct([ranks[name] for name in names], gap)
    lines = (k + 1) // 2
    depth = 0.5 + 0.32 * len(groups)
    figure, ((axes,),) = new_figure(7, 1.1 + 0.3 * (depth + lines))
    axes.set_axis_off()
    axes.set_xlim(1 - 0.45 * (k - 1), k + 0.45 * (k - 1))
    axes.set_ylim(-(depth + lines), 2.2)

    axes.plot([1, k], [0, 0], color=INK, linewidth=1)
    for rank in range(1, k + 1):
        axes.plot([rank, rank], [0, 0.18], color=INK, linewidth=1)
        axes.text(rank, 0.3, str(rank), ha="center", va="bottom", color=INK)
    axes.plot([1, 1 + gap], [1.45, 1.45], color=INK, linewidth=1.4, marker="|", markersize=7)
    axes.text(1 + gap / 2, 1.6, f"CD = {gap:.2f}", ha="center", va="bottom", color=INK, fontsize=9)

    for i, name in enumerate(names):
        left = i < lines
        y = -depth - (i if left else k - 1 - i)
        edge, align = (0.9, "right") if left else (k + 0.1, "left")
        axes.plot([ranks[name], ranks[name], edge], [0, y, y], color=FAINT, linewidth=0.9)
        axes.plot(ranks[name], 0, "o", color=PALETTE[0], markersize=5)
        parts = [words(name), f"{ranks[name]:.2f}"]
        text = "  ".join(parts if left else reversed(parts))
        axes.text(edge + (-0.06 if left else 0.06), y, text, ha=align, va="center", color=INK)
    for i, (first, last) in enumerate(groups):
        span = [ranks[names[first]] - 0.04, ranks[names[last]] + 0.04]
        y = -0.35 - 0.32 * i
        axes.plot(span, [y, y], color=PALETTE[1], linewidth=3.5, solid_capstyle="round")
    return saved(figure, path)


def indistinct(ranks: list[float], gap: float) -> list[tuple[int, int]]:
    """Return the longest runs of sorted ranks that lie within `gap`, as first and last position.

    Examples
    --------
    >>> indistinct([1.4, 2.7, 3.2, 3.3, 4.4], 1.4)
    [(0, 1), (1, 3), (2, 4)]
    """
    values = np.asarray(ranks)
    lasts = np.searchsorted(values, values + gap, side="left") - 1
    groups: list[tuple[int, int]] = []
    for first, last in enumerate(lasts.tolist()):
        if last > first and (not groups or last > groups[-1][1]):
            groups.append((first, last))
    return groups
