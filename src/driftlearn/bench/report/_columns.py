"""Columns side by side, or on top of each other, as SVG in the colours of the page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

import numpy as np

from driftlearn.bench.report._plot import SIDE, looks_of, nice
from driftlearn.utils.safe_text import printable

MOST_LABELS = 8
GAP = 0.06  # of a column's width


def columns(
    parts: Mapping[str, Any],
    labels: Sequence[str],
    *,
    title: str,
    alt: str,
    below: str = "",
    share: bool = False,
    edges: bool = False,
    height: int = 200,
) -> str:
    """Return a figure of columns; where there are several parts they are on top of each other.

    Parameters
    ----------
    parts : mapping of str to sequence of float
        How high each part of each column is.
    labels : sequence of str
        What each column stands for; some of them are written below.
    title, alt, below : str
        What it is, what is to be seen, and what the labels are.
    share : bool
        Whether heights are shares of one, written in per cent.
    edges : bool
        Whether labels are what columns begin with, and stand there.
    height : int
        In pixels.

    Examples
    --------
    >>> columns({"keys": [3, 1]}, ["0.5", "0.6"], title="Keys", alt="x").count("<rect")
    2
    """
    values = np.array([*parts.values()], dtype=float)
    n = max(len(labels), 1)
    top = 1.0 if share else max(float(values.sum(axis=0).max(initial=0.0)), 1.0) * 1.04
    everyone, wide = [*parts], SIDE / n
    shapes = ""
    bottom = np.zeros(len(labels))
    for name, heights in zip(everyone, values):
        kind = looks_of(everyone, name) if len(everyone) > 1 else ""
        for k, (value, base) in enumerate(zip(heights.tolist(), bottom.tolist())):
            if value > 0:
                said = f"{value:.1%}" if share else f"{value:,.0f}"
                y, tall = (1 - (base + value) / top) * SIDE, value / top * SIDE
                shapes += (
                    f'<rect class="column {kind}" x="{(k + GAP / 2) * wide:.0f}" y="{y:.0f}" '
                    f'width="{(1 - GAP) * wide:.0f}" height="{max(tall, 1):.0f}">'
                    f"<title>{escape(printable(f'{name}, {labels[k]}: {said}'))}</title></rect>"
                )
        bottom = bottom + heights
    marks = [at for at in nice(0, top) if at <= top and (share or at % 1 == 0)]
    grid = "".join(f"M0,{round((1 - at / top) * SIDE)}h{SIDE}" for at in marks)
    beside = "".join(
        f'<span style="--at: {at / top:.4f}">{f"{at:.0%}" if share else f"{at:,}"}</span>'
        for at in marks
    )
    step = -(-n // MOST_LABELS)
    written = "".join(
        f'<span style="--at: {(k + 0.5 * (not edges)) / n:.4f}">{escape(labels[k])}</span>'
        for k in range(0, len(labels), step)
    )
    legend = ""
    if len(everyone) > 1:
        items = "".join(
            f'<li class="{looks_of(everyone, name)}"><span class="box"></span>'
            f"<span>{escape(printable(name))}</span></li>"
            for name in everyone
        )
        legend = f'<ul class="legend">{items}</ul>'
    return (
        f'<figure class="chart bare" style="--h: {height}px"><p class="title">{escape(title)}</p>'
        f'<div class="frame"><div class="stage"><div class="y" aria-hidden="true">{beside}</div>'
        f'<svg class="columns" viewBox="0 0 {SIDE} {SIDE}" preserveAspectRatio="none" role="img" '
        f'aria-label="{escape(printable(alt))}"><path class="grid" d="{grid}"/>{shapes}</svg></div>'
        f'<div class="x" aria-hidden="true">{written}</div></div>{legend}'
        f"{f'<figcaption>{escape(below)}</figcaption>' if below else ''}</figure>"
    )
