"""The accuracies of all learners on several streams in one picture."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

import numpy as np

from driftlearn.bench.report._plot import SWATCH, looks_of, nice
from driftlearn.evaluate._repeat import Results

MOST_ROWS = 40  # streams that are drawn


def dots(results: Results, everyone: Sequence[str]) -> str:
    """Return a row a stream, with a link to it, and on it a dot a learner at its accuracy."""
    found = {
        stream: {name: float(result.summary(name)["accuracy"]) for name in result.names}
        for stream, result in [*results.items()][:MOST_ROWS]
    }
    values = np.array([value for row in found.values() for value in row.values()])
    values = values[~np.isnan(values)]
    if not len(values):
        return ""
    low, high = float(values.min()), float(values.max())
    room = 0.04 * (high - low) or 0.05
    low, high = low - room, high + room
    marks = [at for at in nice(low, high) if low <= at <= high]
    scale = "".join(f'<span style="--at: {(at - low) / (high - low):.4f}">{at:g}</span>'
                    for at in marks)  # fmt: skip
    rows = ""
    for k, (stream, row) in enumerate(found.items()):
        points = "".join(
            f'<i class="{looks_of(everyone, name)}" '
            f'style="--at: {(value - low) / (high - low):.4f}" '
            f'data-tip="{escape(name)} on {escape(stream)}: {value:.4f}"></i>'
            for name, value in row.items()
            if not np.isnan(value)
        )
        rows += (
            f'<div class="row"><a href="#stream-{k}" title="{escape(stream)}">{escape(stream)}</a>'
            f'<div class="dots" aria-hidden="true">{points}</div></div>'
        )
    names = "".join(
        f'<li class="{looks_of(everyone, name)}">{SWATCH}<span>{escape(name)}</span></li>'
        for name in everyone
    )
    return (
        f'<figure class="strip"><p class="title">Accuracy on every stream</p>{rows}'
        f'<div class="row" aria-hidden="true"><span></span><div class="x">{scale}</div></div>'
        f'<ul class="legend">{names}</ul><figcaption>A dot is a learner; the numbers stand in the '
        "summary.</figcaption></figure>"
    )
