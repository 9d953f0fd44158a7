"""Critical-difference diagram, for files (matplotlib) and pages (SVG)."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from driftlearn.bench.report._html import fill, safe
from driftlearn.bench.report._matplotlib import new_figure, plain_text, save, styled
from driftlearn.bench.report._style import FAINT, INK, PALETTE, shortened
from driftlearn.evaluate import significance

if TYPE_CHECKING:
    from matplotlib.figure import Figure

WIDTH, MARGIN = 720, 190  # pixels: width of the diagram, and of the names on either side
AXIS = 64.0  # distance of the axis from the top, in pixels
ROW, BAR = 22, 9  # heights of a name and of a bar, in pixels
PIXELS = 100  # resolution of the saved figure, in pixels per inch


class Diagram(NamedTuple):
    """Elements of a diagram, in pixels from the top left corner.

    Attributes
    ----------
    height : float
        Height of the diagram.
    lines : list of (str, list of (float, float))
        Lines by kind: ``axis``, ``faint`` (from the axis to a name) or ``bar``.
    dots : list of float
        Horizontal positions of the ranks on the axis.
    texts : list of (float, float, str, str)
        Position, text and alignment: ``left``, ``center`` or ``right``.
    """

    height: float
    lines: list[tuple[str, list[tuple[float, float]]]]
    dots: list[float]
    texts: list[tuple[float, float, str, str]]


@styled
def critical_difference(
    ranks: Mapping[str, float], n: int, path: str | Path | None = None, *, alpha: float = 0.05
) -> Figure:
    """Draw mean ranks on an axis, best at the left; bars join ranks that do not differ.

    Parameters
    ----------
    ranks : mapping of str to float
        Mean rank of each learner, as returned by `driftlearn.evaluate.average_ranks`.
    n : int
        Number of data sets.
    path : str or Path, optional
        Where to save the figure.
    alpha : float
        Significance level of the Nemenyi test.

    Returns
    -------
    matplotlib.figure.Figure

    References
    ----------
    Demšar, "Statistical comparisons of classifiers over multiple data sets", JMLR 7, 2006.
    """
    found = diagram(ranks, significance.nemenyi(len(ranks), n, alpha))
    figure, (axes,) = new_figure(WIDTH / PIXELS, found.height / PIXELS)
    axes.set_axis_off()
    axes.set(xlim=(0, WIDTH), ylim=(found.height, 0))
    styles = {"axis": (INK, 1.0), "faint": (FAINT, 0.9), "bar": (PALETTE[1], 3.5)}
    for kind, points in found.lines:
        color, width = styles[kind]
        axes.plot(*zip(*points), color=color, linewidth=width)
    axes.plot(found.dots, [AXIS] * len(found.dots), "o", color=PALETTE[0], markersize=5)
    for x, y, text, side in found.texts:
        axes.text(x, y, plain_text(text), ha=side, va="baseline", color=INK)
    return save(figure, path)


def critical_difference_svg(ranks: Mapping[str, float], gap: float) -> str:
    """Return the diagram as SVG, in the text colors of the page.

    Parameters
    ----------
    ranks : mapping of str to float
        The mean rank of each learner.
    gap : float
        The critical difference.

    Examples
    --------
    >>> svg = critical_difference_svg({"dtel": 1.2, "sea": 2.6, "tix": 2.2}, 1.1)
    >>> svg.startswith("<svg"), "dtel 1.20" in svg, "2.60 sea" in svg
    (True, True, True)
    """
    found = diagram(ranks, gap, longest=20)
    body = "".join(
        f'<polyline class="{kind}" points="{" ".join(f"{x:g},{y:g}" for x, y in points)}"/>'
        for kind, points in found.lines
    )
    body += "".join(f'<circle cx="{x:g}" cy="{AXIS}" r="4"/>' for x in found.dots)
    anchors = {"left": "start", "center": "middle", "right": "end"}
    body += "".join(
        f'<text x="{x:g}" y="{y:g}" text-anchor="{anchors[side]}">{safe(text)}</text>'
        for x, y, text, side in found.texts
    )
    order = ", ".join(f"{name} {ranks[name]:.2f}" for name in sorted(ranks, key=ranks.__getitem__))
    alt = f"Mean ranks, the best first: {order}. Critical difference {gap:.2f}."
    return fill("diagram", width=WIDTH, height=found.height, alt=alt, body=body)


def diagram(ranks: Mapping[str, float], gap: float, longest: int = 60) -> Diagram:
    """Return the elements of the diagram; names are truncated to `longest` characters."""
    names = sorted(ranks, key=lambda name: ranks[name])
    k = len(names)
    scale = (WIDTH - 2 * MARGIN) / max(k - 1, 1)

    def x(rank: float) -> float:
        return round(MARGIN + (rank - 1) * scale, 1)

    groups = indistinct([ranks[name] for name in names], gap)
    depth, on_left = AXIS + 16 + BAR * len(groups), (k + 1) // 2
    end = min(x(1 + gap), WIDTH - 4)
    lines: list[tuple[str, list[tuple[float, float]]]] = [
        ("axis", [(x(1), AXIS), (x(k), AXIS)]),
        ("axis", [(x(1), 21), (x(1), 31), (x(1), 26), (end, 26), (end, 21), (end, 31)]),
    ]
    texts = [((x(1) + end) / 2, 15.0, f"critical difference {gap:.2f}", "center")]
    for place in range(1, k + 1, -(-k // 12)):  # with more than 12 ranks, labels would overlap
        lines.append(("axis", [(x(place), AXIS - 6), (x(place), AXIS)]))
        texts.append((x(place), AXIS - 11, str(place), "center"))
    for i, name in enumerate(names):
        at, left = x(ranks[name]), i < on_left
        y = depth + ROW * (i if left else k - 1 - i) + ROW / 2
        edge, side, step = (MARGIN - 14, "right", -5) if left else (WIDTH - MARGIN + 14, "left", 5)
        lines.append(("faint", [(at, AXIS), (at, y), (edge, y)]))
        parts = [shortened(name, longest), f"{ranks[name]:.2f}"]
        texts.append((edge + step, y + 4, " ".join(parts if left else parts[::-1]), side))
    for i, (first, last) in enumerate(groups):
        y = AXIS + 12 + BAR * i
        lines.append(("bar", [(x(ranks[names[first]]) - 4, y), (x(ranks[names[last]]) + 4, y)]))
    return Diagram(depth + ROW * on_left + 6, lines, [x(ranks[name]) for name in names], texts)


def indistinct(ranks: list[float], gap: float) -> list[tuple[int, int]]:
    """Return the maximal runs of sorted ranks within `gap`, as first and last positions.

    Examples
    --------
    >>> indistinct([1.4, 2.7, 3.2, 3.3, 4.4], 1.4)
    [(0, 1), (1, 3), (2, 4)]
    """
    values = np.asarray(ranks)
    lasts = np.searchsorted(values, values + gap, side="left") - 1
    groups: list[tuple[int, int]] = []
    for first, last in enumerate(lasts.tolist()):
        if last > first and (not groups or last > groups[-1][1]):
            groups.append((first, last))
    return groups
