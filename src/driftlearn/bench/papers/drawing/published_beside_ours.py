"""Published values beside ours: accuracies, recalls of classes, metrics over a parameter; ranks."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from driftlearn.bench.papers.outcome import PERCENT, Outcome
from driftlearn.bench.report._matplotlib import legend_above, new_figure, styled
from driftlearn.bench.report._rank_diagram import critical_difference
from driftlearn.bench.report._style import FAINT, PALETTE, line_styles

OURS = {"marker": "o", "markersize": 6, "linestyle": "none"}
PRINTED = {"marker": "o", "markersize": 6.5, "linestyle": "none", "markerfacecolor": "white"}
OUR_LINE = {"marker": "o", "markersize": 4.5}
PRINTED_LINE = {
    "marker": "o", "markersize": 5, "markerfacecolor": "white", "linestyle": (0, (2, 2)),
    "linewidth": 1.1,
}  # fmt: skip

Line = Mapping[float, tuple[str, str]]


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
    results = outcome.results
    names = [name for name in next(iter(results.values())).names
             if learners is None or name in learners]  # fmt: skip
    outer, inner = (names, list(results)) if by == "learner" else (list(results), names)
    figure, grid = new_figure(9.5, 1.5 + 0.24 * len(inner), len(outer), len(outer))
    for k, (axes, panel) in enumerate(zip(grid, outer)):
        color = PALETTE[k % len(PALETTE)]
        for y, row in enumerate(inner):
            stream, name = (row, panel) if by == "learner" else (panel, row)
            ours = outcome.value(stream, name, metric)
            known = outcome.printed(stream, name, metric)
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
                axes.plot(x, np.nan_to_num(known[name][:, k]), color=color, **PRINTED_LINE)
            axes.plot(x, ours[:, k], color=color, linestyle=dash, **OUR_LINE)
    for axes, title in zip(grid, titles):
        axes.set(title=title, xlim=(-0.3, len(x) - 0.7), ylim=(-4, 104))
        axes.set_xticks(x, experiment.tests)
        axes.tick_params(labelbottom=True)
    figure.supylabel(f"{stream}: recall in percent", fontsize=10)
    marks = {"ours": OUR_LINE, "published": PRINTED_LINE} if set(names) & set(known) else {}
    legend_above(figure, styles, marks)
    return figure


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
                known = [outcome.printed(*cell, metric) for cell in line.values()]
                if not np.isnan(known).all():
                    marks = {"ours": OUR_LINE, "published": PRINTED_LINE}
                    axes.plot(list(line), known, color=styles[name][0], **PRINTED_LINE)
                ours = [outcome.value(*cell, metric) if _was_run(outcome, *cell) else np.nan
                        for cell in line.values()]  # fmt: skip
                axes.plot(list(line), ours, color=styles[name][0], **OUR_LINE)
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
