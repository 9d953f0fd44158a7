"""Charts over the rows of a stream, as SVG in the colours of the page around them.

A chart is as wide as its place: its lines are stretched, its words are not, because they are HTML
beside them. So it follows a dark page, a phone and a sheet of paper without a script; the script
only adds what is told under the pointer, and enlarging.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any, NamedTuple

import numpy as np

from driftlearn.bench.report._concepts import MOST_COLOURS, Concepts
from driftlearn.bench.report._curves import Curves
from driftlearn.bench.report._style import places, spread
from driftlearn.utils.typing import Floats, Ints

SIDE = 10_000  # units of a picture in both directions, however large it is drawn
LINE = 16.0  # pixels between the names at the ends of lines
NARROWEST = 0.05  # share of the width that a concept's name needs
MOST_LINES = 8  # with more learners the best few are in colour, and the others on demand
BEST = 5


class Stage(NamedTuple):
    """What all charts of one stream share: the last row, the drifts and the concepts.

    A picture over something else than rows says what in `unit`.
    """

    last: int
    drifts: Sequence[float]
    concepts: Concepts
    unit: str = "row"

    def x(self, row: Any) -> Any:
        """Return where rows stand, in units of the picture."""
        return np.round(np.asarray(row, dtype=float) / max(self.last, 1) * SIDE).astype(int)


def chart(
    stage: Stage,
    body: str,
    *,
    title: str,
    alt: str,
    height: float,
    ticks: Iterable[tuple[float, str]] = (),
    ends: str = "",
    note: str = "",
    scale: str = "",
) -> str:
    """Return a picture over the rows of a stream in its frame.

    Parameters
    ----------
    stage : Stage
        The stream.
    body : str
        What is drawn, as SVG in units of the picture, from the top left.
    title, alt, note : str
        What it is, what is to be seen, what else must be known.
    height : float
        In pixels.
    ticks : iterable of (float, str)
        Heights, from 0 at the bottom to 1, and what is written beside them.
    ends : str
        The names at the right ends of lines, items of a list.
    scale : str
        How the script turns heights into values: the lowest, the highest, ``log`` or nothing.
    """
    below = "".join(
        f'<span style="--at: {at / stage.last:.4f}">{at:,}</span>'
        for at in nice(0, max(stage.last, 1))
        if at <= stage.last
    )
    beside = "".join(f'<span style="--at: {at:.4f}">{escape(text)}</span>' for at, text in ticks)
    drifts = "".join(
        f"M{x},0v{SIDE}" for x in stage.x([d for d in stage.drifts if 0 < d < stage.last])
    )
    return (
        f'<figure class="chart" style="--h: {height:g}px"><p class="title">{escape(title)}</p>'
        f'<div class="frame"><div class="stage"><div class="y" aria-hidden="true">{beside}</div>'
        f'<svg class="plot" viewBox="0 0 {SIDE} {SIDE}" preserveAspectRatio="none" role="img" '
        f'aria-label="{escape(alt)}" data-last="{stage.last}" data-unit="{stage.unit}" '
        f'data-scale="{scale}">'
        f'{body}<path class="drift" d="{drifts}"/></svg>'
        f"</div>{_ribbon(stage)}"
        f'<div class="x" aria-hidden="true">{below}</div>'
        f"{f'<ul class=ends>{ends}</ul>' if ends else ''}</div>"
        f"{f'<figcaption>{escape(note.strip())}</figcaption>' if note.strip() else ''}</figure>"
    )


def _ribbon(stage: Stage) -> str:
    """Return the concepts in force, side by side."""
    names, spans = stage.concepts
    if len(names) < 2:
        return ""
    items = ""
    for begin, end, k in spans:
        share = (end - begin) / stage.last
        text = escape(names[k]) if share > NARROWEST else ""
        items += (
            f'<span title="concept {escape(names[k])}, rows {begin:,} to {end - 1:,}" '
            f'style="--at: {begin / stage.last:.4f}; --wide: {share:.4f}; '
            f'--c: {stage.concepts.css(k)}">{text}</span>'
        )
    many = " many" if len(names) > MOST_COLOURS else ""
    return f'<div class="ribbon{many}" aria-hidden="true">{items}</div>'


def over_rows(
    curves: Curves,
    stage: Stage,
    everyone: Sequence[str],
    *,
    title: str,
    height: int = 220,
    band: bool = False,
    log: bool = False,
    shown: Sequence[str] | None = None,
    note: str = "",
    alt: str | None = None,
) -> str:
    """Draw a line a learner over the rows of the stream.

    Parameters
    ----------
    curves : Curves
        The lines.
    stage : Stage
        The stream.
    everyone : sequence of str
        All learners of the page, which decide on colours and dashes.
    title, note : str
        What the lines show, and what else must be known.
    height : int
        In pixels.
    band, log : bool
        Whether to draw one standard deviation to both sides, and a logarithmic axis.
    shown : sequence of str, optional
        The learners that are in colour at first; all.
    alt : str, optional
        What is to be seen; by default between which values the lines end.
    """
    values = np.concatenate([line + s * curves.off.get(name, 0.0) * band
                             for name, line in curves.middle.items() for s in (-1, 1)])  # fmt: skip
    low, high, marks = _range(values[~np.isnan(values)], log)

    def up(y: Any) -> Any:
        y = np.log10(y) if log else y
        return (y - low) / (high - low)

    x = stage.x(curves.rows)
    grid = "".join(f"M0,{round((1 - up(at)) * SIDE)}h{SIDE}" for at, _ in marks)
    body, last = f'<path class="grid" d="{grid}"/>', {}
    for name, line in curves.middle.items():
        kind = looks_of(everyone, name) + ("" if shown is None or name in shown else " field")
        who = f'data-learner="{everyone.index(name)}"'
        y = np.nan_to_num((1 - up(line)) * SIDE, nan=-1).round().astype(int)
        known = ~np.isnan(line)
        if band and name in curves.off:
            off = curves.off[name]
            upper, lower = ((1 - up(line + s * off)) * SIDE for s in (1, -1))
            body += f'<path class="band {kind}" {who} d="{_area(x, upper, lower, known)}"/>'
        body += (
            f'<path class="curve {kind}" {who} data-name="{escape(name)}" '
            f'd="{_line(x, y, known)}"/>'
        )
        last[name] = float(up(line[known][-1]))
    ticks = [(float(up(at)), text) for at, text in marks]
    finals = {name: line[~np.isnan(line)][-1] for name, line in curves.middle.items()}
    best = max(finals, key=lambda name: finals[name])
    who = ", ".join(finals) if len(finals) <= MOST_LINES else f"{len(finals)} learners"
    ending = (
        f"{title} of {who} over {stage.last:,} rows; at the end between "
        f"{min(finals.values()):.3g} and {finals[best]:.3g} ({best})."
    )
    return chart(
        stage, body, title=title, alt=alt or ending, height=height, ticks=ticks, note=note,
        ends=_ends(last, everyone, height, shown), scale=f"{low:.6g} {high:.6g} {'log' * log}",
    )  # fmt: skip


def _range(values: Floats, log: bool) -> tuple[float, float, list[tuple[float, str]]]:
    """Return the lowest and highest value of an axis, and the values that are written at it."""
    low, high = float(values.min()), float(values.max())
    if log:
        bottom, top = np.floor(np.log10(low)), np.ceil(np.log10(high) + 1e-9)
        powers = np.arange(bottom, top + 1)
        return float(bottom), float(top), [(10.0**p, f"{10.0**p:,g}") for p in powers]
    room = 0.03 * (high - low) or 0.05 * abs(high) or 0.5
    low, high = low - room if low else 0.0, high + room
    whole = bool((values % 1 == 0).all())  # as members are: there is no half of one
    marks = [at for at in nice(low, high) if low <= at <= high and not (whole and at % 1)]
    return low, high, [(at, f"{at:,.10g}") for at in marks]


def nice(low: float, high: float, about: int = 5) -> list[Any]:
    """Return round numbers from `low` to `high`, about so many.

    Examples
    --------
    >>> nice(0, 30_000), nice(0.42, 0.91)
    ([0, 10000, 20000, 30000], [0.4, 0.5, 0.6, 0.7, 0.8, 0.9])
    """
    rough = (high - low) / about
    power = 10.0 ** float(np.floor(np.log10(rough)))
    step = power * next(digit for digit in (1, 2, 5, 10) if power * digit >= rough * 0.999)
    first, last = int(np.floor(low / step + 1e-9)), int(np.floor(high / step + 1e-9))
    if step >= 1:
        return [k * int(step) for k in range(first, last + 1)]
    return [round(k * step, 12) for k in range(first, last + 1)]


def looks_of(everyone: Sequence[str], name: str) -> str:
    """Return the classes of the style sheet that give a learner its colour and dash."""
    colour, dash = places(everyone)[name]
    return f"c{colour} d{dash}"


def _ends(
    last: Mapping[str, float], everyone: Sequence[str], height: float, shown: Sequence[str] | None
) -> str:
    """Return each line's name, at the height of its end, moved apart where they would collide."""
    named = [name for name in last if shown is None or name in shown]
    gap = min(LINE / height, 0.98 / max(len(named), 1))
    at = spread([last[name] for name in named], gap)
    at += max(0.0, 0.01 - at.min(initial=1)) - max(0.0, at.max(initial=0) - 0.99)
    ends = {**last, **dict(zip(named, at))}
    return "".join(
        f'<li class="{looks_of(everyone, name)}" data-learner="{everyone.index(name)}" '
        f'title="{escape(name)}" style="--at: {place:.4f}"'
        f"{'' if shown is None or name in shown else ' hidden'}>{SWATCH}"
        f"<span>{escape(name)}</span></li>"
        for name, place in ends.items()
    )


SWATCH = (
    '<svg class="swatch" width="26" height="8" aria-hidden="true">'
    '<path class="curve" d="M1,4h24"/></svg>'
)


def _line(x: Ints, y: Ints, known: Any) -> str:
    """Return a line with its gaps; a value between two gaps is a dot."""
    parts = []
    for run in _runs(known):
        points = [f"{a},{b}" for a, b in zip(x[run].tolist(), y[run].tolist())]
        parts.append("M" + " ".join(points if len(points) > 1 else points * 2))
    return "".join(parts)


def _area(x: Ints, upper: Floats, lower: Floats, known: Any) -> str:
    parts = []
    for run in _runs(known):
        there = [f"{a},{b:.0f}" for a, b in zip(x[run].tolist(), upper[run].tolist())]
        back = [f"{a},{b:.0f}" for a, b in zip(x[run].tolist(), lower[run].tolist())]
        parts.append("M" + " ".join(there + back[::-1]) + "z")
    return "".join(parts)


def _runs(known: Any) -> list[slice]:
    """Return the stretches without a gap.

    Examples
    --------
    >>> _runs(np.array([True, False, True, True]))
    [slice(0, 1, None), slice(2, 4, None)]
    """
    edges = np.flatnonzero(np.diff(np.concatenate([[0], np.asarray(known, dtype=int), [0]])))
    return [slice(int(a), int(b)) for a, b in zip(edges[::2], edges[1::2])]
