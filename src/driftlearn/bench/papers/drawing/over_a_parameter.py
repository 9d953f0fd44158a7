"""What a parameter does: lines over its values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from driftlearn.bench.papers.drawing.class_recalls import OURS, PRINTED
from driftlearn.bench.papers.drawing.legend_above import legend_above
from driftlearn.bench.papers.outcome import PERCENT, Outcome
from driftlearn.bench.report._style import looks, new_figure, styled

Line = Mapping[float, tuple[str, str]]


@styled
def sweeps(
    outcome: Outcome,
    *,
    panels: Mapping[str, Mapping[str, Line]],
    metrics: Sequence[str] = ("accuracy",),
    log: bool = True,
) -> Any:
    """Draw metrics over the values of a parameter, published ones beside ours where they exist.

    Parameters
    ----------
    outcome : Outcome
        What came out.
    panels : mapping of str to mapping of str to mapping of float to pair of str
        For each panel, named by its parameter, and each line in it: the stream and learner of
        each value.
    metrics : sequence of str
        A row of panels each: accuracy, or one of the experiment's `further`.
    log : bool
        Whether the values are spaced by their logarithms.

    Returns
    -------
    matplotlib.figure.Figure
    """
    colours = looks(list(dict.fromkeys(name for lines in panels.values() for name in lines)))
    wide = 8 if len(panels) > 1 else 6.5
    figure, grid = new_figure(
        wide, 1.1 + 2.6 * len(metrics), len(metrics), len(panels), share=False
    )
    printed = False
    for metric, row in zip(metrics, grid):
        for axes, (parameter, lines) in zip(row, panels.items()):
            for name, line in lines.items():
                known = _published(outcome, line, metric)
                if not np.isnan(known).all():
                    printed = True
                    axes.plot(list(line), known, color=colours[name][0], **PRINTED)
                ours = [_ours(outcome, *cell, metric) for cell in line.values()]
                axes.plot(list(line), ours, color=colours[name][0], **OURS)
            ticks = sorted({value for line in lines.values() for value in line})
            if log:
                axes.set_xscale("log")
            axes.set_xticks(ticks, [f"{value:,}" for value in ticks])
            axes.minorticks_off()
            axes.set_xlabel(parameter)
        low = min(axes.get_ylim()[0] for axes in row)
        high = max(axes.get_ylim()[1] for axes in row)
        for axes in row:
            axes.set_ylim(low, high)
        row[0].set_ylabel(metric + (" in percent" if metric in PERCENT else ""))
    marks = {"ours": OURS, "published": PRINTED} if printed else {}
    legend_above(figure, colours, marks)
    return figure


def _ours(outcome: Outcome, stream: str, learner: str, metric: str) -> float:
    if stream not in outcome.results or learner not in outcome.results[stream].names:
        return np.nan
    return outcome.value(stream, learner, metric)


def _published(outcome: Outcome, line: Line, metric: str) -> np.ndarray:
    experiment = outcome.experiment
    known = experiment.numbers if metric == "accuracy" else experiment.further.get(metric, {})
    return np.array([known.get(stream, {}).get(name, np.nan) for stream, name in line.values()])
