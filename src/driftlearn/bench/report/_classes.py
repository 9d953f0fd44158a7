"""Which classes a learner tells, and when: a map of recalls, and the confusions of a stretch."""

from __future__ import annotations

import json
from collections.abc import Sequence
from html import escape

import numpy as np

from driftlearn.bench.report._curves import runs
from driftlearn.bench.report._figures import frequent_classes
from driftlearn.bench.report._markup import confusion
from driftlearn.bench.report._plot import SIDE, Stage, chart
from driftlearn.evaluate._gather import widened
from driftlearn.evaluate._repeat import AnyResult
from driftlearn.utils.typing import Floats, Ints

MOST_CLASSES = 20  # rows of a confusion matrix that fit a screen
MOST_BLOCKS = 60  # stretches of the stream
LEAST_BLOCKS = 10
TINTS = 10
LINE = 22  # pixels of a class in the map


class Counts:
    """The confusions of a learner in stretches of the stream, of the most frequent classes.

    Parameters
    ----------
    result : Result or RepeatedResult
        Of several seeds, all are added up.
    name : str
        The learner.
    most : int
        How many numbers there may be.
    """

    def __init__(self, result: AnyResult, name: str, most: int):
        counts = _all(result, name)
        shown = frequent_classes(
            result, int(np.clip((most / LEAST_BLOCKS) ** 0.5, 3, MOST_CLASSES))
        )
        rest = np.setdiff1d(np.arange(len(result.classes)), shown)
        groups = [[int(k)] for k in shown] + ([rest.tolist()] if len(rest) else [])
        self.labels = [str(result.classes[k]) for k in shown] + ["others"] * bool(len(rest))
        n_blocks = int(np.clip(most // len(groups) ** 2, LEAST_BLOCKS, MOST_BLOCKS))
        size = -(-len(counts) // n_blocks)
        starts = np.arange(0, len(counts), size)
        blocks = np.add.reduceat(counts, starts, axis=0)
        member = np.zeros((len(result.classes), len(groups)), dtype=int)
        for k, group in enumerate(groups):
            member[group, k] = 1
        self.blocks: Ints = np.einsum("bij,ik,jl->bkl", blocks, member, member)
        ends = result.rows(name)[np.minimum(starts + size, len(counts)) - 1]
        self.edges: Ints = np.concatenate([[0], ends])

    @property
    def recalls(self) -> Floats:
        """The recall of every class in every stretch; nan where it did not occur."""
        rows = self.blocks.sum(axis=2)
        right = np.diagonal(self.blocks, axis1=1, axis2=2)
        return np.where(rows > 0, right / np.maximum(rows, 1), np.nan)


def _all(result: AnyResult, name: str) -> Ints:
    """Return the confusions of every chunk, added up over the seeds."""
    n = len(result.rows(name))
    total = np.zeros((n, len(result.classes), len(result.classes)), dtype=int)
    for run in runs(result):
        counts = widened(run.data[name]["confusion"], run.classes, result.classes)
        total[: len(counts)] += counts
    return total


def recall_map(counts: Counts, name: str, stage: Stage) -> str:
    """Draw the recall of every class over the stream, the fuller the colour the higher."""
    found = counts.recalls.T
    x, tall = stage.x(counts.edges), SIDE / len(found)
    paths: dict[int, str] = {}
    for k, row in enumerate(found):
        top, deep = round(k * tall), round((k + 1) * tall) - round(k * tall) - round(0.06 * tall)
        for b in np.flatnonzero(~np.isnan(row)).tolist():
            wide = int(x[b + 1] - x[b])
            tint = round(TINTS * float(row[b]))
            paths[tint] = paths.get(tint, "") + f"M{x[b]},{top}h{wide}v{deep}h-{wide}z"
    body = "".join(f'<path class="tint t{tint}" d="{d}"/>' for tint, d in sorted(paths.items()))
    body += f'<rect class="cursor" y="0" height="{SIDE}" width="0"/>'
    ticks = [(1 - (k + 0.5) / len(found), label) for k, label in enumerate(counts.labels)]
    known = ~np.isnan(found)
    means = np.where(known.any(axis=1), np.nansum(found, axis=1) / np.maximum(known.sum(axis=1), 1),
                     np.nan)  # fmt: skip
    worst = int(np.nanargmin(means)) if known.any() else 0
    alt = (
        f"Recall of {len(found)} classes by {name} over the stream; the hardest is "
        f"{counts.labels[worst]} with {means[worst]:.3f} on average."
    )
    return chart(
        stage, body, title=f"Recall of every class by {name}: the fuller the colour, the higher",
        alt=alt, height=LINE * len(found) + 4, ticks=ticks,
        note="An empty place: the class did not occur among the rows that were tested.",
    )  # fmt: skip


def confusions(counts: Counts, name: str, stream: str, ident: str) -> str:
    """Return the confusion matrix with a slider that says of which rows."""
    whole = counts.blocks.sum(axis=0)
    data = {
        "edges": counts.edges.tolist(),
        "counts": [block.ravel().tolist() for block in counts.blocks],
    }
    text = json.dumps(data, separators=(",", ":")).replace("<", "\\u003c")
    return (
        f'<div class="counts"><p class="choice"><label for="{ident}">Confusion matrix of</label> '
        f'<input type="range" id="{ident}" min="0" max="{len(counts.blocks)}" value="0"> '
        f'<output for="{ident}">all rows that were tested</output></p>'
        f"{confusion(whole, counts.labels, _caption(name, stream))}"
        f'<script type="application/json">{text}</script></div>'
    )


def _caption(name: str, stream: str) -> str:
    return f"Confusion matrix of the learner {name} on the stream {stream}"


def legend() -> str:
    """Return the scale of the tints."""
    steps: Sequence[int] = range(TINTS + 1)
    boxes = "".join(
        f'<span class="t{k}" title="{escape(f"{k / TINTS:.1f}")}"></span>' for k in steps
    )
    return f'<p class="scale" aria-hidden="true">0 {boxes} 1</p>'
