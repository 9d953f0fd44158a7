"""Figures of the papers in the style of `driftlearn.bench.report`.

They show accuracy along a stream, the subject of most figures in the papers; published values
beside ours; ranks; and planes with classes and decision regions.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from driftlearn.bench.papers.outcome import PERCENT, Outcome
from driftlearn.bench.report import _matplotlib as mpl
from driftlearn.bench.report._curves import curves
from driftlearn.bench.report._rank_diagram import critical_difference
from driftlearn.bench.report._style import FAINT, INK, PALETTE, line_styles

Panel = tuple[str, Sequence[str]]
AXES = {"row": "row of the stream", "chunk": "chunk", "time": "time"}
LEVEL = {"marker": 4, "markersize": 7, "linestyle": "none", "markeredgewidth": 0}
MOST_DRIFTS = 20  # with more drifts than these, the lines would hide the curves
OURS = {"marker": "o", "markersize": 6, "linestyle": "none"}
PRINTED = {"marker": "o", "markersize": 6.5, "linestyle": "none", "markerfacecolor": "white"}
OUR_LINE = {"marker": "o", "markersize": 4.5}
PRINTED_LINE = {
    "marker": "o", "markersize": 5, "markerfacecolor": "white", "linestyle": (0, (2, 2)),
    "linewidth": 1.1,
}  # fmt: skip
Line = Mapping[float, tuple[str, str]]
N_SNAPSHOTS = 6
TILES = 51  # points per side of the test grid
COLORS = PALETTE[0], PALETTE[4]
SIDE = 301  # points per side of the boundary grid: enough for smooth boundaries in print
BOUNDARY = {"color": INK, "linestyle": "solid", "linewidth": 1.6}
POINTS = {"marker": "o", "markersize": 5, "linestyle": "none", "markeredgewidth": 0}


@mpl.styled
def courses(
    outcome: Outcome,
    *,
    panels: Mapping[str, Panel] | None = None,
    columns: int = 1,
    over: str = "row",
    names: Mapping[str, str] | None = None,
    smooth: int | None = None,
) -> Any:
    """Draw accuracy along streams; marks at the right show the published means.

    Parameters
    ----------
    outcome : Outcome
        The outcome. Streams and learners that were not run are omitted.
    panels : mapping of str to pair
        The stream and the learners of each panel, by title; by default one panel per stream with
        all learners.
    columns : int
        Number of panels per row.
    over : {"row", "chunk", "time"}
        The horizontal axis; time runs from 0 to 1.
    names : mapping of str to str
        Names of learners in the legend, if they differ from the names of the experiment; learners
        with the same name share a color.
    smooth : int, optional
        Number of chunks in the moving average; chosen automatically by default.

    Returns
    -------
    matplotlib.figure.Figure
    """
    experiment, results = outcome.experiment, outcome.results
    if panels is None:
        panels = {stream: (stream, tuple(experiment.learners)) for stream in experiment.streams}
    shown = {
        title: (stream, [name for name in some if name in results[stream].names])
        for title, (stream, some) in panels.items()
        if stream in results
    }
    shown = {title: panel for title, panel in shown.items() if panel[1]}
    called = {name: (names or {}).get(name, name) for _, some in shown.values() for name in some}
    styles = line_styles(list(dict.fromkeys(called.values())))
    rows = -(-len(shown) // columns)
    width, height = (8, 1.1 + 2.9 * rows) if columns == 1 else (9.5, 1.0 + 1.85 * rows)
    figure, grid = mpl.new_figure(width, height, len(shown), columns, share=False)
    widest, levels = 1, False
    for axes, (title, (stream, some)) in zip(grid, shown.items()):
        result, printed = results[stream], experiment.numbers.get(stream, {})
        found = curves(result, lambda run, name: 100 * run.scores(name), None,
                       True if smooth is None else smooth, some)  # fmt: skip
        widest, last = max(widest, found.width), found.rows[-1]
        scale = {"row": 1.0, "chunk": len(found.rows) / last, "time": 1 / last}[over]
        x = np.arange(1, len(found.rows) + 1) if over == "chunk" else found.rows * scale
        mpl.draw_curves(axes, found, {name: styles[called[name]] for name in some}, x=x,
                    band=columns < 3, linewidth=1.3)  # fmt: skip
        for name in (name for name in some if name in printed):
            levels = True
            axes.plot(1.012, printed[name], color=styles[called[name]][0], clip_on=False,
                      transform=axes.get_yaxis_transform(), **LEVEL)  # fmt: skip
        if over == "row":
            mpl.row_axis(axes, last)
        axes.set_xlim(0, last * scale)
        ticks = 6 if columns == 1 else 5
        axes.xaxis.get_major_locator().set_params(nbins=ticks, integer=over != "time")
        drifts = [drift * scale for drift in result.drifts if drift < last]
        mpl.mark_drifts(axes, drifts if len(drifts) < MOST_DRIFTS else [], text=columns == 1)
        axes.set_title(title)
    mean = "" if widest == 1 else f", mean of {widest} chunks"
    if columns == 1:
        for axes in grid:
            axes.set_xlabel(AXES[over])
            axes.set_ylabel(f"accuracy in percent{mean}".replace(", ", ",\n"))
    else:
        figure.supxlabel(AXES[over], fontsize=10)
        figure.supylabel(f"accuracy in percent{mean}", fontsize=10)
    if levels:
        figure.get_layout_engine().set(rect=(0, 0, 0.985, 1))
    mpl.legend_above(figure, styles, {"mean printed in the paper": LEVEL} if levels else {})
    return figure


@mpl.styled
def dots(
    outcome: Outcome,
    *,
    by: str = "learner",
    metric: str = "accuracy",
    label: str = "accuracy in percent",
    log: bool = False,
    learners: Sequence[str] | None = None,
) -> Any:
    """Draw published values and ours, joined by lines; bars show standard deviations over seeds.

    Parameters
    ----------
    outcome : Outcome
        The outcome.
    by : {"learner", "stream"}
        Whether to draw one panel per learner with a row per stream, or the reverse.
    metric : str
        Accuracy, or one of the metrics in `Experiment.further`.
    label : str
        The label of the horizontal axis.
    log : bool
        Whether the horizontal axis is logarithmic.
    learners : sequence of str, optional
        The learners; by default all learners that were run.

    Returns
    -------
    matplotlib.figure.Figure
    """
    results = outcome.results
    names = [name for name in next(iter(results.values())).names
             if learners is None or name in learners]  # fmt: skip
    outer, inner = (names, list(results)) if by == "learner" else (list(results), names)
    figure, grid = mpl.new_figure(9.5, 1.5 + 0.24 * len(inner), len(outer), len(outer))
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
    mpl.legend_above(figure, {}, {"published": PRINTED, "ours": OURS})
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


@mpl.styled
def recalls(outcome: Outcome, *, stream: str, learners: Sequence[str] | None = None) -> Any:
    """Draw the recall of every class and the overall accuracy after each data set.

    Parameters
    ----------
    outcome : Outcome
        The outcome of an experiment with named tests.
    stream : str
        The stream.
    learners : sequence of str, optional
        The learners; by default all learners that were run.

    Returns
    -------
    matplotlib.figure.Figure or None
        None if the stream or none of the learners was run.
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
    figure, grid = mpl.new_figure(9.5, 1.0 + 1.9 * -(-len(titles) // columns), len(titles), columns)
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
    mpl.legend_above(figure, styles, marks)
    return figure


@mpl.styled
def sweeps(
    outcome: Outcome,
    *,
    panels: Mapping[str, Mapping[str, Line]],
    metrics: Sequence[str] = ("accuracy",),
    log: bool = True,
) -> Any:
    """Draw metrics over the values of a parameter, with published values if they exist.

    Parameters
    ----------
    outcome : Outcome
        The outcome.
    panels : mapping of str to mapping of str to mapping of float to pair of str
        For each panel (by parameter name) and each line: the stream and the learner of each
        parameter value.
    metrics : sequence of str
        The metrics, one per row of panels: accuracy, or metrics in `Experiment.further`.
    log : bool
        Whether the axis of parameter values is logarithmic.

    Returns
    -------
    matplotlib.figure.Figure
    """
    styles = line_styles(list(dict.fromkeys(name for lines in panels.values() for name in lines)))
    n = len(panels)
    size = 8 if n > 1 else 6.5, 1.1 + 2.6 * len(metrics)
    figure, grid = mpl.new_figure(*size, n * len(metrics), n, share=False)
    ran, marks = outcome.pairs(), {}
    for k, metric in enumerate(metrics):
        row = grid[n * k : n * (k + 1)]
        for axes, (parameter, lines) in zip(row, panels.items()):
            for name, line in lines.items():
                known = [outcome.printed(*cell, metric) for cell in line.values()]
                if not np.isnan(known).all():
                    marks = {"ours": OUR_LINE, "published": PRINTED_LINE}
                    axes.plot(list(line), known, color=styles[name][0], **PRINTED_LINE)
                ours = [outcome.value(*cell, metric) if cell in ran else np.nan
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
    mpl.legend_above(figure, styles, marks)
    return figure


@mpl.styled
def snapshots(outcome: Outcome) -> Any:
    """Draw six snapshots of the rotating checkerboard over half a rotation.

    Tiles show the points of the test grid, circles the training rows, 50 of each class.
    """
    stream = outcome.experiment.streams["checkerboard"](0)
    figure, panels = mpl.new_figure(8, 5.9, N_SNAPSHOTS, N_SNAPSHOTS // 2)
    steps = np.linspace(0, (stream.n_steps - 1) / 2, N_SNAPSHOTS, endpoint=False).astype(int)
    edges = np.linspace(0, 1, TILES)
    for panel, step in zip(panels, steps.tolist()):
        _, tiles = stream.grid_test(step, TILES)
        X, y = next(stream.chunks(start=step * stream.chunk_size))
        second = (tiles == stream.classes[1]).reshape(TILES, TILES)
        panel.contourf(edges, edges, second, levels=[-0.5, 0.5, 1.5], colors=COLORS, alpha=0.22)
        for label, color in zip(stream.classes, COLORS):
            panel.scatter(*X[y == label].T, s=22, color=color, edgecolor="white", linewidth=0.5)
        share = step / (stream.n_steps - 1)
        panel.set_title(f"t = {share:.2f}, turned by {360 * share:.0f}°")
        panel.set(xlim=(0, 1), ylim=(0, 1), xticks=(0, 0.5, 1), yticks=(0, 0.5, 1), aspect="equal")
        panel.grid(False)
    return figure


@mpl.styled
def regions(
    outcome: Outcome, *, stream: str, scores: Callable[[Any, np.ndarray], np.ndarray]
) -> Any:
    """Draw the test rows of a stream over the decision regions of a score function.

    Parameters
    ----------
    outcome : Outcome
        An outcome of the experiment, which may be empty: only the stream is used.
    stream : str
        The stream; its two features are the axes.
    scores : callable
        Function of the stream and of points in the plane that returns the score of each class.

    Returns
    -------
    matplotlib.figure.Figure
    """
    source = outcome.experiment.streams[stream](0)
    X, y = source.test_set(0)
    figure, (axes,) = mpl.new_figure(6.8, 6.4)
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
    mpl.legend_above(figure, {}, {**classes, "decision boundary": BOUNDARY})
    return figure
