"""Metrics over the values of a parameter."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from driftlearn.bench.papers.drawing.class_recalls import OURS, PRINTED
from driftlearn.bench.papers.drawing.published_beside_ours import published
from driftlearn.bench.papers.outcome import PERCENT, Outcome
from driftlearn.bench.report._matplotlib import legend_above, new_figure, styled
from driftlearn.bench.report._style import line_styles

Line = Mapping[float, tuple[str, str]]


@styled
def sweeps(
    outcome: Outcome,
    *,
    panels: Mapping[str, Mapping[str, Line]],
    metrics: Sequence[str] = ("accuracy",),
    log: bool = True,
) -> Any:
    """Draw metrics over the values of a parameter, with published ones beside ours if they exist.

    Parameters
    ----------
    outcome : Outcome
        The outcome.
    panels : mapping of str to mapping of str to mapping of float to pair of str
        For each panel, named by its parameter, and each line in it: the stream and learner of
        each value.
    metrics : sequence of str
        A row of panels each: accuracy, or one of the experiment's `further`.
    log : bool
        Whether the axis of values is logarithmic.

    Returns
    -------
    matplotlib.figure.Figure
    """
    styles = line_styles(list(dict.fromkeys(name for lines in panels.values() for name in lines)))
    n = len(panels)
    figure, grid = new_figure(8 if n > 1 else 6.5, 1.1 + 2.6 * len(metrics), n * len(metrics), n,
                              share=False)  # fmt: skip
    marks: dict[str, Any] = {}
    for k, metric in enumerate(metrics):
        row = grid[n * k : n * (k + 1)]
        for axes, (parameter, lines) in zip(row, panels.items()):
            for name, line in lines.items():
                known = [published(outcome, metric).get(stream, {}).get(learner, np.nan)
                         for stream, learner in line.values()]  # fmt: skip
                if not np.isnan(known).all():
                    marks = {"ours": OURS, "published": PRINTED}
                    axes.plot(list(line), known, color=styles[name][0], **PRINTED)
                ours = [outcome.value(*cell, metric) if _was_run(outcome, *cell) else np.nan
                        for cell in line.values()]  # fmt: skip
                axes.plot(list(line), ours, color=styles[name][0], **OURS)
            ticks = sorted({value for line in lines.values() for value in line})
            axes.set_xscale("log" if log else "linear")
            axes.set_xticks(ticks, [f"{value:,}" for value in ticks])
            axes.minorticks_off()
            axes.set_xlabel(parameter)
        limits = np.array([axes.get_ylim() for axes in row])
        for axes in row:
            axes.set_ylim(limits.min(), limits.max())
        row[0].set_ylabel(metric + " in percent" * (metric in PERCENT))
    legend_above(figure, styles, marks)
    return figure


def _was_run(outcome: Outcome, stream: str, learner: str) -> bool:
    return stream in outcome.results and learner in outcome.results[stream].names
