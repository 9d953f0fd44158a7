"""How well each class is known after each data set."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from driftlearn.bench.papers.drawing.legend_above import legend_above
from driftlearn.bench.papers.outcome import Outcome
from driftlearn.bench.report._style import looks, new_figure, styled

OURS = {"marker": "o", "markersize": 4.5}
PRINTED = {
    "marker": "o",
    "markersize": 5,
    "markerfacecolor": "white",
    "linestyle": (0, (2, 2)),
    "linewidth": 1.1,
}


@styled
def recalls(outcome: Outcome, *, stream: str, learners: Sequence[str] | None = None) -> Any:
    """Draw the recall of every class, and what is overall, after each data set.

    Nothing is drawn if the stream was not run, or none of the learners.

    Parameters
    ----------
    outcome : Outcome
        What came out of an experiment with named tests.
    stream : str
        On which stream.
    learners : sequence of str, optional
        Which learners; all that were run.

    Returns
    -------
    matplotlib.figure.Figure or None
    """
    if stream not in outcome.results:
        return None
    experiment, result = outcome.experiment, outcome.results[stream]
    names = [name for name in result.names if learners is None or name in learners]
    if not names:
        return None
    colours = looks(names)
    classes = result.classes.tolist()
    columns = min(len(classes) + 1, 4)
    rows = -(-(len(classes) + 1) // columns)
    figure, grid = new_figure(9.5, 1.0 + 1.9 * rows, rows, columns)
    x = np.arange(len(experiment.tests))
    known = experiment.recalls.get(stream, {})
    for name in names:
        ours = np.column_stack(
            [outcome.recalls(stream, name), outcome.overall(stream, name).mean(axis=0)]
        )
        for k, axes in enumerate(grid.flat[: len(classes) + 1]):
            colour, dash = colours[name]
            if name in known:
                axes.plot(x, np.nan_to_num(known[name][:, k]), color=colour, **PRINTED)
            axes.plot(x, ours[:, k], color=colour, linestyle=dash, **OURS)
    for axes, title in zip(grid.flat, [*(f"class {c}" for c in classes), "overall"]):
        axes.set_title(title)
        axes.set_ylim(-4, 104)
        axes.set_xticks(x, experiment.tests)
        axes.set_xlim(-0.3, len(x) - 0.7)
        axes.tick_params(labelbottom=True)
    for axes in grid.flat[len(classes) + 1 :]:
        axes.set_visible(False)
    figure.supylabel(f"{stream}: recall in percent", fontsize=10)
    marks = {"ours": OURS, "published": PRINTED} if set(names) & set(known) else {}
    legend_above(figure, colours, marks)
    return figure
