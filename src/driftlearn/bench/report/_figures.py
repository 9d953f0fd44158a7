"""Figures of a result over time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from driftlearn.bench.report._style import (
    INK,
    automatic_width,
    curve,
    looks,
    mark_drifts,
    new_figure,
    saved,
    spread,
    styled,
    words,
)
from driftlearn.bench.report._weights import weights, weights_panel
from driftlearn.evaluate._repeat import AnyResult
from driftlearn.utils.typing import Ints

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST_PANELS = 12


@styled
def accuracy(
    result: AnyResult,
    path: str | Path | None = None,
    *,
    metric: str = "accuracy",
    smooth: int | None = None,
    learners: Sequence[str] | None = None,
    ax: Any = None,
) -> Figure:
    """Draw a score over the stream, one line a learner, known drifts marked.

    Parameters
    ----------
    result : Result or RepeatedResult
        What to draw; of several seeds the mean, and one standard deviation to both sides.
    path : str or Path, optional
        Where to save the figure.
    metric : str
        Which score; see `Result.scores`.
    smooth : int, optional
        Draw the mean of the last so many chunks. By default such that the line stays legible; the
        axis says how many. 1 draws the chunks themselves.
    learners : sequence of str, optional
        Which learners; all.
    ax : matplotlib.axes.Axes, optional
        Where to draw; a figure of its own, if none is given.

    Returns
    -------
    matplotlib.figure.Figure
    """
    figure, axes = _place(ax, 3.8)
    _accuracy_panel(figure, axes, result, metric, smooth, learners, ax is not None)
    return saved(figure, path)


def _place(ax: Any, height: float) -> tuple[Any, Any]:
    """Return the figure of some axes and these; new ones, if there are none."""
    if ax is not None:
        return ax.figure, ax
    figure, ((axes,),) = new_figure(8, height)
    return figure, axes


def _accuracy_panel(
    figure: Any,
    axes: Any,
    result: AnyResult,
    metric: str = "accuracy",
    smooth: int | None = None,
    learners: Sequence[str] | None = None,
    guest: bool = False,
) -> None:
    names = result.names if learners is None else list(learners)
    width = automatic_width(len(result.rows(names[0]))) if smooth is None else smooth
    ends = []
    for name in names:
        colour, dash = looks(result.names)[name]
        middle, off = curve(result.scores(name, metric), width)
        x = result.rows(name)
        axes.plot(x, middle, color=colour, linestyle=dash, label=words(name))
        if off is not None:
            axes.fill_between(x, middle - off, middle + off, color=colour, alpha=0.15, lw=0)
        known = np.flatnonzero(~np.isnan(middle))
        if len(known):
            ends.append((name, x[known[-1]], middle[known[-1]], colour))
    label = metric.replace("_", " ")
    axes.set_ylabel(label if width == 1 else f"{label} (mean of {width} chunks)")
    title = f"{result.stream}, {result.settings.get('protocol', '')}".rstrip(", ")
    if not guest:
        axes.set_title(words(title))
    mark_drifts(axes, result.drifts)
    _row_axis(axes, result.rows(names[0]))
    _label_ends(figure, axes, ends, guest)


@styled
def overview(
    result: AnyResult, path: str | Path | None = None, *, learners: Sequence[str] | None = None
) -> Figure:
    """Draw accuracy over the stream and, below it, who counted when in some ensembles.

    Parameters
    ----------
    result, path
        As in `accuracy`.
    learners : sequence of str, optional
        Whose member weights; the first two that keep a history.

    Returns
    -------
    matplotlib.figure.Figure
    """
    names = list(result.histories)[:2] if learners is None else list(learners)
    figure, _ = new_figure(9, 7.2, 0)
    upper, lower = figure.subfigures(2, 1, height_ratios=(1, 1))
    _accuracy_panel(figure, upper.subplots(), result)
    for name, panel in zip(names, lower.subplots(1, len(names), squeeze=False).flat):
        weights_panel(panel, result, name)
        panel.set_xlabel("row of the stream")
    return saved(figure, path)


@styled
def recall(
    result: AnyResult, path: str | Path | None = None, *, smooth: int | None = None
) -> Figure:
    """Draw the recall of every class over the stream: a panel a class, a line a learner.

    A gap in a line means that the class did not occur. Of more than twelve classes the most
    frequent are drawn.

    Parameters
    ----------
    result, path, smooth
        As in `accuracy`.

    Returns
    -------
    matplotlib.figure.Figure
    """
    chosen = frequent_classes(result, MOST_PANELS)
    columns = min(len(chosen), 3)
    rows = -(-len(chosen) // columns)
    figure, panels = new_figure(8, 1.2 + 1.8 * rows, rows, columns)
    x = result.rows(result.names[0])
    width = automatic_width(len(x)) if smooth is None else smooth
    for panel, k in zip(panels.flat, chosen):
        for name in result.names:
            colour, dash = looks(result.names)[name]
            middle, _ = curve(result.recalls(name)[..., k], width)
            panel.plot(result.rows(name), middle, color=colour, linestyle=dash, label=words(name))
        panel.set_title(f"class {words(result.classes[k])}")
        panel.set_ylim(-0.03, 1.03)
        mark_drifts(panel, result.drifts, text=False)
        _row_axis(panel, x, label=False)
    for panel in panels.flat[len(chosen) :]:
        panel.set_visible(False)
    figure.supxlabel("row of the stream", color=INK, fontsize=10)
    label = "recall" if width == 1 else f"recall (mean of {width} chunks)"
    figure.supylabel(label, color=INK, fontsize=10)
    handles, labels = panels.flat[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper left", ncols=min(len(labels), 6))
    return saved(figure, path)


@styled
def size(result: AnyResult, path: str | Path | None = None, *, ax: Any = None) -> Figure:
    """Draw how many members each ensemble has over the stream.

    Parameters
    ----------
    result, path, ax
        As in `accuracy`.

    Returns
    -------
    matplotlib.figure.Figure
    """
    figure, axes = _place(ax, 2.8)
    ends = []
    for name in sized(result):
        colour, dash = looks(result.names)[name]
        middle, _ = curve(result.scores(name, "members"))
        axes.plot(
            result.rows(name), middle, color=colour, linestyle=dash, drawstyle="steps-post",
            label=words(name),
        )  # fmt: skip
        ends.append((name, result.rows(name)[-1], middle[-1], colour))
    axes.set_ylabel("members")
    axes.set_ylim(bottom=0)
    mark_drifts(axes, result.drifts)
    _row_axis(axes, result.rows(result.names[0]))
    _label_ends(figure, axes, ends, ax is not None)
    return saved(figure, path)


KINDS: dict[str, Callable[..., Figure]] = {
    "accuracy": accuracy,
    "recall": recall,
    "weights": weights,
    "size": size,
    "overview": overview,
}


def draw(
    result: AnyResult, path: str | Path | None = None, kind: str = "accuracy", **options: Any
) -> Figure:
    """Draw a result: ``"accuracy"``, ``"recall"``, ``"weights"``, ``"size"`` or ``"overview"``."""
    if kind not in KINDS:
        raise ValueError(f"no figure {kind!r}; there are {', '.join(KINDS)}")
    return KINDS[kind](result, path, **options)


def frequent_classes(result: AnyResult, most: int) -> Ints:
    """Return the positions of the most frequent classes, in the order of the labels."""
    count = result.confusion(result.names[0]).sum(axis=1)
    return np.sort(np.argsort(-count, kind="stable")[:most])


def sized(result: AnyResult) -> list[str]:
    """Return the learners that have members to count."""
    return [name for name in result.names if not np.isnan(result.scores(name, "members")).all()]


def _row_axis(axes: Any, rows: Ints, label: bool = True) -> None:
    axes.set_xlim(0, rows[-1])
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
    axes.xaxis.get_major_locator().set_params(nbins=6)
    if label:
        axes.set_xlabel("row of the stream")


def _label_ends(
    figure: Any, axes: Any, ends: Sequence[tuple[str, float, float, str]], guest: bool = False
) -> None:
    """Write each line's name beside its end, moved apart where they would cover each other.

    In a figure of somebody else's there may be no room for that, and a legend names them.
    """
    if guest:
        axes.legend(frameon=True)  # it may lie over lines
        return
    low, high = axes.get_ylim()
    points = axes.get_window_extent().height * 72 / figure.dpi
    places = spread([y for _, _, y, _ in ends], 13 * (high - low) / points)
    for (name, x, _, colour), y in zip(ends, places):
        axes.annotate(
            words(name),
            (x, y),
            xytext=(6, 0),
            textcoords="offset points",
            va="center",
            color=colour,
            annotation_clip=False,
        )
