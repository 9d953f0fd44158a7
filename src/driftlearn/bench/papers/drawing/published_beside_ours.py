"""Tables of the papers as figures: published values beside ours, and mean ranks."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from driftlearn.bench.papers.outcome import Outcome
from driftlearn.bench.report._matplotlib import legend_above, new_figure, styled
from driftlearn.bench.report._rank_diagram import critical_difference
from driftlearn.bench.report._style import FAINT, PALETTE

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
    """Draw published values and ours, joined by a line; a bar is a standard deviation over seeds.

    Parameters
    ----------
    outcome : Outcome
        The outcome.
    by : {"learner", "stream"}
        What has a panel each; the other one has a row each.
    metric : str
        Accuracy, or one of the experiment's `further`.
    label : str
        The label of the horizontal axis.
    log : bool
        Whether that axis is logarithmic.
    learners : sequence of str, optional
        The learners; by default all that were run.

    Returns
    -------
    matplotlib.figure.Figure
    """
    results, printed = outcome.results, published(outcome, metric)
    names = [name for name in next(iter(results.values())).names
             if learners is None or name in learners]  # fmt: skip
    outer, inner = (names, list(results)) if by == "learner" else (list(results), names)
    figure, grid = new_figure(9.5, 1.5 + 0.24 * len(inner), len(outer), len(outer))
    for k, (axes, panel) in enumerate(zip(grid, outer)):
        color = PALETTE[k % len(PALETTE)]
        for y, row in enumerate(inner):
            stream, name = (row, panel) if by == "learner" else (panel, row)
            ours = outcome.value(stream, name, metric)
            known = printed.get(stream, {}).get(name, np.nan)
            axes.plot([ours, known], [y, y], color=FAINT, linewidth=1)
            axes.plot(known, y, color=color, **PRINTED)
            axes.plot(ours, y, color=color, **OURS)
            if metric == "accuracy" and len(results[stream].seeds) > 1:
                off = outcome.value(stream, name, "std")
                axes.errorbar(ours, y, xerr=off, color=color, linewidth=1.2)
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


def published(outcome: Outcome, metric: str) -> Mapping[str, Mapping[str, float]]:
    """Return the published values of a metric by stream and learner."""
    experiment = outcome.experiment
    return experiment.numbers if metric == "accuracy" else experiment.further.get(metric, {})


def ranks(outcome: Outcome) -> Any:
    """Draw our mean ranks over streams as a critical-difference diagram.

    Returns
    -------
    matplotlib.figure.Figure or None
        None if there is only one learner.
    """
    if len(next(iter(outcome.results.values())).names) < 2:
        return None
    return critical_difference(outcome.mean_ranks(), len(outcome.results))
