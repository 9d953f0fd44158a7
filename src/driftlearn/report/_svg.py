"""Small pictures as SVG, in the colours of the page around them: lines over rows, and bars."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

import numpy as np

from driftlearn._safe_text import printable

WIDTH, LEFT, RIGHT, TOP = 760, 52, 120, 12
PALETTE = ("var(--mark)", "var(--soft)", "var(--c1)", "var(--c2)")
DASHES = ("", "6 4", "2 3", "8 3 2 3")
LINE = 22  # pixels of a bar


def lines(
    x: Any,
    curves: Mapping[str, Any],
    *,
    alt: str,
    marks: Sequence[float] = (),
    height: int = 240,
    label: str = "row",
) -> str:
    """Return lines between 0 and 1 over rows, with a dashed vertical line at each mark.

    Parameters
    ----------
    x : array-like
        Where the points are.
    curves : mapping of str to array-like
        The values by name, nan for none; names stand at the ends of the lines.
    alt : str
        What the picture shows, for whoever cannot see it.
    marks : sequence of float
        Where vertical lines are.
    height : int
        Of the picture, in its own units.
    label : str
        What `x` is.

    Examples
    --------
    >>> svg = lines([0, 1], {"model": [0.5, 0.75]}, alt="It rises")
    >>> svg.startswith("<svg"), "It rises" in svg
    (True, True)
    """
    x = np.asarray(x, dtype=float)
    low, high = (float(x.min()), float(x.max())) if len(x) else (0.0, 1.0)
    values = np.concatenate([np.zeros(0), *(np.asarray(c, dtype=float) for c in curves.values())])
    known = values[~np.isnan(values)]
    floor = float(np.floor(known.min() * 10) / 10) if len(known) else 0.0
    floor = min(floor, 0.9)
    bottom = height - 34

    def across(value: float) -> float:
        return LEFT + (value - low) / max(high - low, 1e-12) * (WIDTH - LEFT - RIGHT)

    def down(value: float) -> float:
        return bottom - (value - floor) / (1.0 - floor) * (bottom - TOP)

    shapes = []
    for tick in np.linspace(floor, 1.0, 5 if floor < 0.5 else 3):
        y = down(float(tick))
        shapes.append(_line(LEFT, y, WIDTH - RIGHT, y, "faint"))
        shapes.append(_text(LEFT - 7, y + 4, f"{tick:.2f}", "end"))
    for share in (0.0, 0.5, 1.0):
        at = low + share * (high - low)
        shapes.append(_text(across(at), bottom + 17, f"{at:,.0f}"))
    shapes.append(_text((LEFT + WIDTH - RIGHT) / 2, height - 3, label))
    shapes += [_line(across(at), TOP, across(at), bottom, "change") for at in marks]
    ends = []
    for k, (name, curve) in enumerate(curves.items()):
        curve = np.asarray(curve, dtype=float)
        points = [(across(a), down(b)) for a, b in zip(x, curve) if not np.isnan(b)]
        if not points:
            continue
        path = " ".join(f"{a:.1f},{b:.1f}" for a, b in points)
        colour, dash = PALETTE[k % len(PALETTE)], DASHES[k % len(DASHES)]
        style = f'style="stroke:{colour};stroke-dasharray:{dash or "none"};stroke-width:2"'
        shapes.append(f'<polyline points="{path}" {style}/>')
        ends.append((points[-1][1], name, colour))
    free = float(TOP)
    for y, name, colour in sorted(ends):
        free = max(free + 15, y + 4) if free > TOP else max(TOP + 4, y + 4)
        text = f'style="fill:{colour}" text-anchor="start"'
        shapes.append(f'<text x="{WIDTH - RIGHT + 6}" y="{free:.1f}" {text}>{escape(name)}</text>')
    return _svg(height, alt, shapes)


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
        short = name if len(name) <= 28 else name[:27] + "…"
        shapes.append(_text(204, y + 14, short, "end"))
        shapes.append(f'<rect class="bar" x="212" y="{y + 3}" width="{width:.1f}" height="15"/>')
        shapes.append(_text(218 + width, y + 14, f"{value:.3f}", "start"))
    return _svg(2 * TOP + LINE * len(shown), alt, shapes)


def _svg(height: float, alt: str, shapes: list[str]) -> str:
    return (
        f'<svg class="cd" viewBox="0 0 {WIDTH} {height:g}" role="img" '
        f'aria-label="{escape(printable(alt))}">{"".join(shapes)}</svg>'
    )


def _line(x1: float, y1: float, x2: float, y2: float, kind: str) -> str:
    ends = f'x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"'
    return f'<line class="{kind}" {ends}/>'


def _text(x: float, y: float, text: str, anchor: str = "middle") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(printable(text))}</text>'
