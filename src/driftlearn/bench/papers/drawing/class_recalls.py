"""Recall of each class after each data set."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from driftlearn.bench.papers.outcome import Outcome
from driftlearn.bench.report._matplotlib import legend_above, new_figure, styled
from driftlearn.bench.report._style import line_styles

OURS = {"marker": "o", "markersize": 4.5}
PRINTED = {
    "marker": "o", "markersize": 5, "markerfacecolor": "white", "linestyle": (0, (2, 2)),
    "linewidth": 1.1,
}  # fmt: skip


@styled
def recalls(outcome: Outcome, *, stream: str, learners: Sequence[str] | None = None) -> Any:
    """Draw the recall of every class, and the overall accuracy, after each data set.

    Parameters
    ----------
    outcome : Outcome
        The outcome of an experiment with named tests.
    stream : str
        The stream.
    learners : sequence of str, optional
        The learners; by default all that were run.

    Returns
    -------
    matplotlib.figure.Figure or None
        None if the stream or all of the learners were not run.
    """
    if stream not in outcome.results:
        return None
    experiment, result = outcome.experiment, outcome.results[stream]
    names = [name for name in result.names if learners is None or name in learners]
    if not names:
        return None
    styles, known = line_styles(names), experiment.recalls.get(stream, {})
    titles = [*(f"class {label}" for label in result.classes.tolist()), "overall"]
    columns = min(len(titles), 4)
    figure, grid = new_figure(9.5, 1.0 + 1.9 * -(-len(titles) // columns), len(titles), columns)
    x = np.arange(len(experiment.tests))
    for name in names:
        overall = outcome.overall(stream, name).mean(axis=0)
        ours = np.column_stack([outcome.recalls(stream, name), overall])
        color, dash = styles[name]
        for k, axes in enumerate(grid):
            if name in known:
                axes.plot(x, np.nan_to_num(known[name][:, k]), color=color, **PRINTED)
            axes.plot(x, ours[:, k], color=color, linestyle=dash, **OURS)
    for axes, title in zip(grid, titles):
        axes.set(title=title, xlim=(-0.3, len(x) - 0.7), ylim=(-4, 104))
        axes.set_xticks(x, experiment.tests)
        axes.tick_params(labelbottom=True)
    figure.supylabel(f"{stream}: recall in percent", fontsize=10)
    marks = {"ours": OURS, "published": PRINTED} if set(names) & set(known) else {}
    legend_above(figure, styles, marks)
    return figure
