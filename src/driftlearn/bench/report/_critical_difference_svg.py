"""The critical-difference diagram as SVG, in the colours of the page around it."""

from __future__ import annotations

from collections.abc import Mapping

from driftlearn.bench.report._critical_difference import indistinct
from driftlearn.bench.report._svg import line, picture, shortened, text

WIDTH = 720
MARGIN = 190
LINE = 22


def critical_difference_svg(ranks: Mapping[str, float], gap: float) -> str:
    """Return the diagram: mean ranks on an axis, bars over those that cannot be told apart.

    Its lines and letters take the colour of the text around, so that it follows a dark page.

    Parameters
    ----------
    ranks : mapping of str to float
        Each learner's mean rank.
    gap : float
        The critical difference.

    Examples
    --------
    >>> svg = critical_difference_svg({"dtel": 1.2, "sea": 2.6, "tix": 2.2}, 1.1)
    >>> svg.startswith("<svg"), "1.20 dtel" in svg or "dtel 1.20" in svg
    (True, True)
    """
    names = sorted(ranks, key=lambda name: ranks[name])
    k = len(names)
    groups = indistinct([ranks[name] for name in names], gap)
    scale = (WIDTH - 2 * MARGIN) / max(k - 1, 1)

    def x(rank: float) -> float:
        return round(MARGIN + (rank - 1) * scale, 1)

    axis = 64
    depth = axis + 16 + 9 * len(groups)
    left = (k + 1) // 2
    height = depth + LINE * left + 6
    shapes = [line(x(1), axis, x(k), axis)]
    step = -(-k // 12)
    for place in range(1, k + 1, step):
        shapes += [line(x(place), axis - 6, x(place), axis), text(x(place), axis - 11, str(place))]
    end = min(x(1 + gap), WIDTH - 4)
    shapes += [line(x(1), 26, end, 26), line(x(1), 21, x(1), 31), line(end, 21, end, 31)]
    shapes.append(text((x(1) + end) / 2, 15, f"critical difference {gap:.2f}"))
    for i, name in enumerate(names):
        at = x(ranks[name])
        first = i < left
        y = depth + LINE * (i if first else k - 1 - i) + LINE / 2
        edge = MARGIN - 14 if first else WIDTH - MARGIN + 14
        shapes.append(f'<polyline class="faint" points="{at},{axis} {at},{y} {edge},{y}"/>')
        shapes.append(f'<circle cx="{at}" cy="{axis}" r="4"/>')
        short, rank = shortened(name), f"{ranks[name]:.2f}"
        if first:
            shapes.append(text(edge - 5, y + 4, f"{short} {rank}", "end"))
        else:
            shapes.append(text(edge + 5, y + 4, f"{rank} {short}", "start"))
    for i, (first_place, last_place) in enumerate(groups):
        y = axis + 12 + 9 * i
        ends = x(ranks[names[first_place]]) - 4, x(ranks[names[last_place]]) + 4
        shapes.append(line(ends[0], y, ends[1], y, "bar"))
    said = ", ".join(f"{name} {ranks[name]:.2f}" for name in names)
    alt = f"Mean ranks, the best first: {said}. Critical difference {gap:.2f}."
    return picture(WIDTH, height, alt, shapes)
