"""Helpers for matplotlib figures in a common style, without pyplot."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

import numpy as np

from driftlearn.bench.report._curves import Curves
from driftlearn.bench.report._style import FAINT, INK, moved_apart
from driftlearn.utils.atomic_files import atomic_write
from driftlearn.utils.optional import needed
from driftlearn.utils.safe_text import printable

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Parameters = ParamSpec("Parameters")
Drawn = TypeVar("Drawn")

TITLED = ("png", "svg", "pdf")  # file formats that can store a title
LABEL = 13  # minimum distance between the labels at the ends of lines, in points
#: Width of a legend entry: points per character, and characters taken by line sample and margins.
CHARACTER, SAMPLE = 5.3, 9


def styled(draw: Callable[Parameters, Drawn]) -> Callable[Parameters, Drawn]:
    """Decorate a drawing function to use the style in `style.mplstyle`."""

    @wraps(draw)
    def in_style(*args: Parameters.args, **kwargs: Parameters.kwargs) -> Drawn:
        with needed("matplotlib.style").context("driftlearn.bench.report.style"):
            return draw(*args, **kwargs)

    return in_style


def new_figure(
    width: float, height: float, n: int = 1, columns: int = 1, share: bool = True
) -> tuple[Any, list[Any]]:
    """Return a figure with `n` axes, `columns` per row.

    The figure is created without pyplot and thus without global state. With ``n=0`` the figure has
    no axes; the caller adds them.
    """
    figure = needed("matplotlib.figure").Figure(figsize=(width, height))
    if not n:
        return figure, []
    rows = -(-n // columns)
    grid = figure.subplots(rows, columns, sharex=share, sharey=share, squeeze=False).ravel()
    for axes in grid[n:]:
        axes.set_visible(False)
    return figure, [*grid[:n]]


def save(figure: Figure, path: str | Path | None) -> Figure:
    """Save a figure atomically if a path is given, and return it."""
    if path is not None:
        content = BytesIO()
        kind = Path(path).suffix.removeprefix(".") or figure.canvas.get_default_filetype()
        titles = [axes.get_title(loc) for axes in figure.axes for loc in ("center", "left")]
        metadata = {"Title": next(filter(None, titles), "driftlearn")}
        figure.savefig(content, format=kind, metadata=metadata if kind in TITLED else None)
        atomic_write(path, content.getvalue())
    return figure


def plain_text(text: object) -> str:
    r"""Return text on one line, with dollar signs escaped so that they do not start a formula.

    Examples
    --------
    >>> print(plain_text("$x_{"))
    \$x_{
    """
    return printable(text).replace("$", r"\$")


def draw_curves(
    axes: Any,
    curves: Curves,
    styles: Mapping[str, tuple[str, str]],
    *,
    x: Any = None,
    band: bool = True,
    **options: Any,
) -> None:
    """Draw curves with bands of one standard deviation.

    Parameters
    ----------
    axes : matplotlib.axes.Axes
        Axes to draw on.
    curves : Curves
        The curves to draw.
    styles : mapping of str to (str, str)
        The color and dash of each name.
    x : ndarray, optional
        The horizontal positions; by default the rows of the curves.
    band : bool
        Whether to draw bands.
    **options
        Properties of the lines.
    """
    x = curves.rows if x is None else x
    for name, line in curves.middle.items():
        color, dash = styles[name]
        at = x[: len(line)]
        axes.plot(at, line, color=color, linestyle=dash, label=plain_text(name), **options)
        if band and name in curves.off:
            off = curves.off[name]
            axes.fill_between(at, line - off, line + off, color=color, alpha=0.15, lw=0)


def mark_drifts(axes: Any, drifts: Sequence[float], text: bool = True) -> None:
    """Draw a vertical line at every drift; label the first line."""
    for drift in drifts:
        axes.axvline(drift, color=FAINT, linewidth=0.9, linestyle=(0, (2, 2)), zorder=1)
    if text and len(drifts):
        axes.annotate(
            "drift", (drifts[0], 1), xycoords=("data", "axes fraction"), va="top", color=FAINT,
            xytext=(3, -1), textcoords="offset points", fontsize=9,
        )  # fmt: skip


def row_axis(axes: Any, last: float, ticks: int = 6) -> None:
    """Format the horizontal axis as row numbers from 0 to `last`."""
    axes.set_xlim(0, last)
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
    axes.xaxis.get_major_locator().set_params(nbins=ticks)


def name_lines(axes: Any, curves: Curves, styles: Mapping[str, tuple[str, str]]) -> None:
    """Label each line at its end; labels that would overlap are moved apart."""
    last = {name: np.flatnonzero(~np.isnan(line))[-1] for name, line in curves.middle.items()}
    low, high = axes.get_ylim()
    points = axes.get_window_extent().height * 72 / axes.figure.dpi
    ends = np.clip([curves.middle[name][k] for name, k in last.items()], low, high)
    heights = moved_apart(ends.tolist(),
                          LABEL * (high - low) / points)  # fmt: skip
    for (name, k), y in zip(last.items(), heights):
        axes.annotate(
            plain_text(name), (curves.rows[k], y), xycoords="data", va="center",
            color=styles[name][0], annotation_clip=False, xytext=(6, 0), textcoords="offset points",
        )  # fmt: skip


def legend_above(
    figure: Any,
    styles: Mapping[str, tuple[str, str]],
    marks: Mapping[str, Mapping[str, Any]] | None = None,
) -> None:
    """Add a legend above all axes: one line per name, then marks that apply to every name.

    Parameters
    ----------
    figure : matplotlib.figure.Figure
        The figure.
    styles : mapping of str to (str, str)
        The color and dash of each name.
    marks : mapping of str to mapping
        Line properties of the marks that apply to every name, by label, for example "published".
    """
    samples: dict[str, dict[str, Any]] = {
        name: {"color": color, "linestyle": dash} for name, (color, dash) in styles.items()
    }
    samples |= {label: {"color": INK, **options} for label, options in (marks or {}).items()}
    Line2D = needed("matplotlib.lines").Line2D
    lines = [Line2D([], [], **sample) for sample in samples.values()]
    columns = _columns([*samples], 72 * figure.get_figwidth())
    figure.legend(lines, map(plain_text, samples), loc="outside upper left", ncols=columns)


def _columns(labels: Sequence[str], width: float) -> int:
    """Return the number of legend columns that fit into a width in points.

    Examples
    --------
    >>> _columns(["DTEL", "SEA", "Learn++.NSE", "AUE2", "TIX"], 500), _columns(["a" * 30] * 4, 500)
    (5, 2)
    """
    lengths = np.array([len(label) for label in labels])
    for columns in range(len(labels), 1, -1):
        widest = [part.max() for part in np.array_split(lengths, columns)]
        if CHARACTER * sum(length + SAMPLE for length in widest) <= width:
            return columns
    return 1
