"""Charts of a page as SVG and HTML, in the colors of the page.

A chart fills the width of its column: lines are stretched, but labels are not, because they are
HTML beside the SVG. Charts adapt to dark mode, small screens and print without a script. The script
of the page adds tooltips and zooming. `_matplotlib` draws the same `Curves` to files.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from driftlearn.bench.report._curves import Curves
from driftlearn.bench.report._html import MOST_LINES, SWATCH, css_class, fill, legend, safe
from driftlearn.bench.report._style import MOST_COLORS, Concepts, moved_apart, shortened
from driftlearn.utils.arguments import Floats, Ints

SIDE = 10_000  # units of a chart in both directions, independent of its size on the screen
LINE = 16.0  # minimum distance between the labels at the ends of lines, in pixels
NARROWEST = 0.05  # share of the width that a concept needs to be labeled
MOST_NAMES = 4  # maximum number of named values below a chart
MOST_LABELS = 8  # maximum number of labels below columns
COLUMN_GAP = 0.06  # gap between columns, as a share of their width
PADDING = 0.04  # margins on both sides of the dots, as a share of the range of values
MOST_BARS = 12
BOX = '<span class="box"></span>'

Tick = tuple[float, str]  # position from 0 to 1, and label


class Axis(NamedTuple):
    """Horizontal axis shared by the charts of a stream.

    Attributes
    ----------
    last : int
        Value at the right end, usually the number of rows.
    drifts : sequence of float
        Positions of the vertical drift lines.
    concepts : Concepts
        The concepts over time, drawn below the chart.
    unit : str
        Unit of the values.
    names : sequence of str
        Names of the values 0, 1, ... `last`; by default they are shown as numbers.
    """

    last: int
    drifts: Sequence[float] = ()
    concepts: Concepts = Concepts([], [])
    unit: str = "row"
    names: Sequence[str] = ()

    def x(self, value: Any) -> Any:
        """Return the positions of values in chart units."""
        return np.round(np.asarray(value, dtype=float) / max(self.last, 1) * SIDE).astype(int)


def nice(low: float, high: float, about: int = 5) -> list[Any]:
    """Return approximately `about` round numbers between `low` and `high`.

    Examples
    --------
    >>> nice(0, 30_000), nice(0.42, 0.91)
    ([0, 10000, 20000, 30000], [0.4, 0.5, 0.6, 0.7, 0.8, 0.9])
    """
    rough = (high - low) / about
    power = 10.0 ** float(np.floor(np.log10(rough)))
    step = power * next(digit for digit in (1, 2, 5, 10) if power * digit >= rough * 0.999)
    first, last = (int(np.floor(end / step + 1e-9)) for end in (low, high))
    return [k * int(step) if step >= 1 else round(k * step, 12) for k in range(first, last + 1)]


def chart(
    axis: Axis | None,
    body: str,
    *,
    title: str,
    alt: str,
    height: float,
    ticks: Iterable[Tick],
    below: Iterable[Tick] = (),
    after: str = "",
    note: str = "",
    scale: str = "",
) -> str:
    """Return a figure: title, labels of both axes, SVG, concepts, and caption.

    Parameters
    ----------
    axis : Axis or None
        The horizontal axis; None if it does not represent rows.
    body : str
        SVG in chart units, from the top left corner.
    title, alt, note : str
        The title, the description for screen readers, and the caption.
    height : float
        The height in pixels.
    ticks : iterable of (float, str)
        Labels of the vertical axis with heights from 0 (bottom) to 1.
    below : iterable of (float, str)
        Labels of a horizontal axis that does not represent rows.
    after : str
        HTML below the chart: a legend, or labels at the right ends of lines.
    scale : str
        Conversion of heights to values in the script: lowest value, highest value, optional
        ``log``.
    """
    kind, data, concepts = "column-chart", "", ""
    if axis is not None:
        last = max(axis.last, 1)
        below = [(at / last, f"{at:,}") for at in nice(0, last) if at <= last]
        if axis.names:
            every = range(0, len(axis.names), -(-len(axis.names) // MOST_NAMES))
            below = [(at / last, shortened(axis.names[at], 12)) for at in every]
        drifts = axis.x([drift for drift in axis.drifts if 0 < drift < axis.last])
        body += f'<path class="drift" d="{"".join(f"M{x},0v{SIDE}" for x in drifts)}"/>'
        data = f'data-last="{axis.last}" data-unit="{axis.unit}" data-scale="{scale}"'
        data += f' data-names="{safe(json.dumps(axis.names))}"' if axis.names else ""
        kind, concepts = "plot", _concept_bar(axis)
    caption = f"<figcaption>{safe(note.strip())}</figcaption>" if note.strip() else ""
    return fill(
        "chart", kind=kind, height=height, title=title, ticks=_labels(ticks), side=SIDE, alt=alt,
        data=data, body=body, concepts=concepts, below=_labels(below), after=after, caption=caption,
    )  # fmt: skip


def _labels(ticks: Iterable[Tick]) -> str:
    return "".join(f'<span style="--at: {at:.4f}">{safe(text)}</span>' for at, text in ticks)


def _grid(heights: Iterable[float]) -> str:
    """Return horizontal grid lines at heights from 0 to 1."""
    return (
        f'<path class="grid" d="{"".join(f"M0,{round((1 - y) * SIDE)}h{SIDE}" for y in heights)}"/>'
    )


def _concept_bar(axis: Axis) -> str:
    """Return a bar of the concepts over time."""
    names, spans = axis.concepts
    if len(names) < 2:
        return ""
    items = ""
    for begin, end, k in spans:
        wide = (end - begin) / axis.last
        shown = names[k] if wide > NARROWEST else ""
        items += fill("concept", name=names[k], begin=begin, last=end - 1, at=begin / axis.last,
                      wide=wide, color=axis.concepts.css(k), shown=shown)  # fmt: skip
    many = " many" if len(names) > MOST_COLORS else ""
    return f'<div class="ribbon{many}" aria-hidden="true">{items}</div>'


def line_chart(
    curves: Curves,
    axis: Axis,
    learners: Sequence[str],
    *,
    title: str,
    height: int = 220,
    band: bool = False,
    log: bool = False,
    shown: Sequence[str] | None = None,
    scaled_to: Sequence[str] | None = None,
    note: str = "",
    alt: str | None = None,
) -> str:
    """Draw one line per learner over the rows of the stream.

    Parameters
    ----------
    curves : Curves
        The lines.
    axis : Axis
        The horizontal axis.
    learners : sequence of str
        All learners of the page, which determine colors and dashes.
    title, note : str
        The title and the caption.
    height : int
        The height in pixels.
    band, log : bool
        Whether to draw bands of one standard deviation; whether the vertical axis is logarithmic.
    shown : sequence of str, optional
        The learners that are initially shown in color; by default all.
    scaled_to : sequence of str, optional
        The learners that determine the vertical axis; lines of others may leave the chart.
    alt : str, optional
        The description for screen readers; by default the range of the final values.
    """
    values = np.concatenate([line + s * curves.off.get(name, 0.0) * band
                             for name, line in curves.middle.items() for s in (-1, 1)
                             if scaled_to is None or name in scaled_to])  # fmt: skip
    low, high, marks = _value_range(values[~np.isnan(values)], log)

    def up(y: Any) -> Any:
        return ((np.log10(y) if log else y) - low) / (high - low)

    x, body, finals = axis.x(curves.rows), _grid(up(at) for at, _ in marks), {}
    for name, line in curves.middle.items():
        faint = "" if shown is None or name in shown else " field"
        style = f'{css_class(learners, name)}{faint}" data-learner="{learners.index(name)}"'
        known = ~np.isnan(line)
        finals[name] = line[known][-1]
        if band and name in curves.off:
            sides = (_pieces(x, up(line + s * curves.off[name]), known) for s in (1, -1))
            area = "".join(f"M{' '.join(there + back[::-1])}z" for there, back in zip(*sides))
            body += f'<path class="band {style} d="{area}"/>'
        # A single point is drawn twice, because a line of length zero is rendered as a dot.
        lines = [p * 2 if len(p) == 1 else p for p in _pieces(x, up(line), known)]
        path = "".join(f"M{' '.join(points)}" for points in lines)
        body += f'<path class="curve {style} data-name="{safe(name)}" d="{path}"/>'
    best = max(finals, key=lambda name: finals[name])
    ends = {name: min(max(float(up(y)), 0.0), 1.0) for name, y in finals.items()}
    names = ", ".join(finals) if len(finals) <= MOST_LINES else f"{len(finals)} learners"
    ending = (
        f"{title} of {names} over {axis.last:,} rows; at the end between "
        f"{min(finals.values()):.3g} and {finals[best]:.3g} ({best})."
    )
    return chart(
        axis, body, title=title, alt=alt or ending, height=height, note=note,
        ticks=[(float(up(at)), text) for at, text in marks],
        scale=f"{low:.6g} {high:.6g} {'log' * log}",
        after=_end_labels(ends, learners, height, shown),
    )  # fmt: skip


def _value_range(values: Floats, log: bool) -> tuple[float, float, list[Tick]]:
    """Return the limits and the ticks of a vertical axis."""
    low, high = float(values.min()), float(values.max())
    if log:
        bottom, top = np.floor(np.log10(low)), np.ceil(np.log10(high) + 1e-9)
        powers = np.arange(bottom, top + 1)
        return float(bottom), float(top), [(10.0**p, f"{10.0**p:,g}") for p in powers]
    padding = 0.03 * (high - low) or 0.05 * abs(high) or 0.5
    low, high = low - padding if low else 0.0, high + padding
    whole = bool((values % 1 == 0).all())  # counts, such as members, get no fractional ticks
    marks = [at for at in nice(low, high) if low <= at <= high and not (whole and at % 1)]
    return low, high, [(at, f"{at:,.10g}") for at in marks]


def _end_labels(
    last: Mapping[str, float], learners: Sequence[str], height: float, shown: Sequence[str] | None
) -> str:
    """Return the line labels at the heights of the line ends, moved apart if they overlap."""
    named = [name for name in last if shown is None or name in shown]
    gap = min(LINE / height, 0.98 / max(len(named), 1))
    at = moved_apart([last[name] for name in named], gap)
    at += max(0.0, 0.01 - at.min(initial=1)) - max(0.0, at.max(initial=0) - 0.99)
    items = "".join(
        fill("end", look=css_class(learners, name), k=learners.index(name), name=name, at=place,
             hidden="" if name in named else " hidden", swatch=SWATCH)
        for name, place in {**last, **dict(zip(named, at))}.items()
    )  # fmt: skip
    return f"<ul class=ends>{items}</ul>"


def _pieces(x: Ints, heights: Floats, known: Any) -> list[list[str]]:
    """Return the points of each segment without gaps; heights range from 0 (bottom) to 1.

    Examples
    --------
    >>> known = np.array([True, False, True, True])
    >>> _pieces(np.arange(4), np.array([1.0, np.nan, 0.5, 0.25]), known)
    [['0,0'], ['2,5000', '3,7500']]
    """
    edges = np.flatnonzero(np.diff(np.concatenate([[0], np.asarray(known, dtype=int), [0]])))
    y = (1 - heights) * SIDE
    return [
        [f"{at},{down:.0f}" for at, down in zip(x[a:b].tolist(), y[a:b].tolist())]
        for a, b in zip(edges[::2], edges[1::2])
    ]


def column_chart(
    parts: Mapping[str, Any],
    labels: Sequence[str],
    *,
    title: str,
    alt: str,
    note: str = "",
    share: bool = False,
    edges: bool = False,
    height: int = 200,
) -> str:
    """Draw one column per label; several parts are stacked.

    Parameters
    ----------
    parts : mapping of str to sequence of float
        Height of each part of each column.
    labels : sequence of str
        Labels of the columns; only some of them are shown below the chart.
    title, alt, note : str
        The title, the description for screen readers, and the caption.
    share : bool
        Whether heights are fractions, shown in percent.
    edges : bool
        Whether labels are the left edges of columns, and are placed there.
    height : int
        The height in pixels.

    Examples
    --------
    >>> column_chart({"keys": [3, 1]}, ["0.5", "0.6"], title="Keys", alt="x").count("<rect")
    2
    """
    values = np.array([*parts.values()], dtype=float)
    n, names = max(len(labels), 1), [*parts]
    top = 1.0 if share else max(float(values.sum(axis=0).max(initial=0.0)), 1.0) * 1.04
    body, wide, bottoms = "", SIDE / n, values.cumsum(axis=0) - values
    for name, heights, bases in zip(names, values.tolist(), bottoms.tolist()):
        look = css_class(names, name) if len(names) > 1 else ""
        for k, (value, base) in enumerate(zip(heights, bases)):
            if value > 0:
                text = f"{value:.1%}" if share else f"{value:,.0f}"
                body += fill(
                    "column", look=look, x=(k + COLUMN_GAP / 2) * wide,
                    y=(1 - (base + value) / top) * SIDE, wide=(1 - COLUMN_GAP) * wide,
                    tall=max(value / top * SIDE, 1), tip=f"{name}, {labels[k]}: {text}",
                )  # fmt: skip
    marks = [at for at in nice(0, top) if at <= top and (share or at % 1 == 0)]
    ticks = [(at / top, f"{at:.0%}" if share else f"{at:,}") for at in marks]
    every = range(0, len(labels), -(-n // MOST_LABELS))
    below = [((k + 0.5 * (not edges)) / n, labels[k]) for k in every]
    return chart(
        None, _grid(at / top for at in marks) + body, title=title, alt=alt, height=height,
        ticks=ticks, below=below, after=legend(names, BOX) if len(names) > 1 else "", note=note,
    )  # fmt: skip


def dot_chart(
    rows: Mapping[str, Mapping[str, float]],
    names: Sequence[str],
    *,
    title: str,
    note: str = "",
    link: str = "",
) -> str:
    """Draw one row per label, with a dot for the value of each name.

    Parameters
    ----------
    rows : mapping of str to mapping of str to float
        Values of the names in each row; nan values are omitted.
    names : sequence of str
        All names, which determine the colors.
    title, note : str
        The title and the caption.
    link : str
        If not empty, the label of row k links to the element whose id is this string followed by k.
    """
    values = np.array([value for row in rows.values() for value in row.values()])
    values = values[~np.isnan(values)]
    if not len(values):
        return ""
    low, high = float(values.min()), float(values.max())
    padding = PADDING * (high - low) or 0.05
    low, high = low - padding, high + padding
    body = ""
    for k, (label, row) in enumerate(rows.items()):
        dots = "".join(
            fill("dot", look=css_class(names, name), at=(value - low) / (high - low), name=name,
                 label=label, value=value)
            for name, value in row.items() if not np.isnan(value)
        )  # fmt: skip
        tag, href = ("a", f' href="#{link}{k}"') if link else ("span", "")
        body += fill("dots", tag=tag, href=href, label=label, dots=dots)
    ticks = [((at - low) / (high - low), f"{at:g}") for at in nice(low, high) if low <= at <= high]
    caption = f"<figcaption>{safe(note)}</figcaption>" if note else ""
    return fill("dot-chart", title=title, body=body, ticks=_labels(ticks),
                legend=legend(names, BOX), caption=caption)  # fmt: skip


def bar_chart(values: Mapping[str, float], *, alt: str) -> str:
    """Draw one horizontal bar per name, for the first `MOST_BARS` names.

    Parameters
    ----------
    values : mapping of str to float
        Nonnegative values, largest first.
    alt : str
        Beginning of the description for screen readers, which then lists the values.

    Examples
    --------
    >>> bar_chart({"price": 0.75, "size": 0.25}, alt="Importances").count('class="bar"')
    2
    """
    shown = dict([*values.items()][:MOST_BARS])
    top = max([*shown.values(), 1e-12])
    rows = "".join(
        fill("bar", name=name, short=shortened(name, 28), at=max(0.0, value) / top, value=value)
        for name, value in shown.items()
    )
    text = f"{alt}: {', '.join(f'{name} {value:.3f}' for name, value in shown.items())}."
    return f'<figure class="strip bars" role="img" aria-label="{safe(text)}">{rows}</figure>'
