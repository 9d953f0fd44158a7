"""Figures in files and notebooks, drawn by matplotlib in one style, without pyplot."""

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

TITLED = ("png", "svg", "pdf")  # formats whose files can hold a title
LABEL = 13  # points between the names at the ends of lines
#: Points of width that a character takes in a legend, and characters of a sample and its margins.
CHARACTER, SAMPLE = 5.3, 9
STYLE: dict[Any, Any] = {
    "font.size": 10,
    "axes.titlesize": 11,
    "axes.titlelocation": "left",
    "axes.labelcolor": INK,
    "axes.edgecolor": FAINT,
    "axes.linewidth": 0.8,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.grid.axis": "y",
    "axes.axisbelow": True,
    "grid.color": "#e6e6e6",
    "grid.linewidth": 0.8,
    "xtick.color": INK,
    "ytick.color": INK,
    "xtick.major.size": 3,
    "ytick.major.size": 0,
    "lines.linewidth": 1.6,
    "lines.solid_capstyle": "round",
    "legend.frameon": False,
    "figure.constrained_layout.use": True,
    "savefig.dpi": 160,
    "svg.hashsalt": "driftlearn",
    "svg.fonttype": "none",  # text that can be searched, read aloud and edited
}


def styled(draw: Callable[Parameters, Drawn]) -> Callable[Parameters, Drawn]:
    """Return a drawing function that uses the style of this module."""

    @wraps(draw)
    def in_style(*args: Parameters.args, **kwargs: Parameters.kwargs) -> Drawn:
        with needed("matplotlib").rc_context(STYLE):
            return draw(*args, **kwargs)

    return in_style


def new_figure(
    width: float, height: float, n: int = 1, columns: int = 1, share: bool = True
) -> tuple[Any, list[Any]]:
    """Return a figure, and `n` axes of it in rows of `columns`.

    The figure is created without pyplot and thus without global state. With ``n=0`` it is empty,
    for the caller to divide.
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
    r"""Return text for a figure: on one line, and with dollar signs that begin no formula.

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
    """Draw curves with a band of one standard deviation to both sides.

    Parameters
    ----------
    axes : matplotlib.axes.Axes
        Where to draw.
    curves : Curves
        What to draw.
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
    """Draw a vertical line at every drift, and label the first one."""
    for drift in drifts:
        axes.axvline(drift, color=FAINT, linewidth=0.9, linestyle=(0, (2, 2)), zorder=1)
    if text and len(drifts):
        _note(axes, "drift", (drifts[0], 1), (3, -1), ("data", "axes fraction"), va="top",
              color=FAINT, fontsize=9)  # fmt: skip


def row_axis(axes: Any, last: float, ticks: int = 6) -> None:
    """Make the horizontal axis one of rows, up to the last."""
    axes.set_xlim(0, last)
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
    axes.xaxis.get_major_locator().set_params(nbins=ticks)


def name_lines(axes: Any, curves: Curves, styles: Mapping[str, tuple[str, str]]) -> None:
    """Write the name of each line beside its end, moved apart where names would overlap."""
    known = {name: np.flatnonzero(~np.isnan(line))[-1] for name, line in curves.middle.items()}
    low, high = axes.get_ylim()
    points = axes.get_window_extent().height * 72 / axes.figure.dpi
    ends = [curves.middle[name][k] for name, k in known.items()]
    for (name, k), y in zip(known.items(), moved_apart(ends, LABEL * (high - low) / points)):
        _note(axes, plain_text(name), (curves.rows[k], y), (6, 0), "data", va="center",
              color=styles[name][0], annotation_clip=False)  # fmt: skip


def _note(axes: Any, text: str, at: Any, offset: Any, coords: Any, **options: Any) -> None:
    """Write a text at an offset in points from a position."""
    axes.annotate(text, at, xycoords=coords, xytext=offset, textcoords="offset points", **options)


def legend_above(
    figure: Any,
    styles: Mapping[str, tuple[str, str]],
    marks: Mapping[str, Mapping[str, Any]] | None = None,
) -> None:
    """Put a legend above all axes: a line per name, then marks that hold for every name.

    Parameters
    ----------
    figure : matplotlib.figure.Figure
        The figure.
    styles : mapping of str to (str, str)
        The color and dash of each name.
    marks : mapping of str to mapping
        Line properties by label for what every name has, for example "published".
    """
    samples: dict[str, dict[str, Any]] = {
        name: {"color": color, "linestyle": dash} for name, (color, dash) in styles.items()
    }
    samples |= {label: {"color": INK, **options} for label, options in (marks or {}).items()}
    Line2D = needed("matplotlib.lines").Line2D
    lines = [Line2D([], [], **sample) for sample in samples.values()]
    columns = fitting([*samples], 72 * figure.get_figwidth())
    figure.legend(lines, map(plain_text, samples), loc="outside upper left", ncols=columns)


def fitting(labels: Sequence[str], width: float) -> int:
    """Return the number of legend columns that fit into a width in points.

    Examples
    --------
    >>> fitting(["DTEL", "SEA", "Learn++.NSE", "AUE2", "TIX"], 500), fitting(["a" * 30] * 4, 500)
    (5, 2)
    """
    for columns in range(len(labels), 1, -1):
        parts = np.array_split(np.array([len(label) for label in labels]), columns)
        if sum(CHARACTER * (part.max() + SAMPLE) for part in parts) <= width:
            return columns
    return 1
