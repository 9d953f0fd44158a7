"""Bars with names, as SVG."""

from __future__ import annotations

from collections.abc import Mapping

from driftlearn.bench.report._svg import picture, shortened, text

WIDTH, TOP = 760, 12
LINE = 22  # pixels of a bar


def bars(values: Mapping[str, float], *, alt: str, most: int = 12) -> str:
    """Return a bar for each name, the first so many.

    Parameters
    ----------
    values : mapping of str to float
        What each is worth, from 0 on.
    alt : str
        What the picture shows, for whoever cannot see it.
    most : int
        How many there are at most.

    Examples
    --------
    >>> bars({"price": 0.75, "size": 0.25}, alt="Importances").count("<rect")
    2
    """
    shown = [*values.items()][:most]
    top = max([value for _, value in shown] + [1e-12])
    shapes = []
    for k, (name, value) in enumerate(shown):
        y = TOP + LINE * k
        width = max(0.0, value) / top * (WIDTH - 320)
        shapes.append(text(204, y + 14, shortened(name, 28), "end"))
        shapes.append(f'<rect class="bar" x="212" y="{y + 3}" width="{width:.1f}" height="15"/>')
        shapes.append(text(round(218 + width, 1), y + 14, f"{value:.3f}", "start"))
    return picture(WIDTH, 2 * TOP + LINE * len(shown), alt, shapes)
