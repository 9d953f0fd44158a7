"""Class recalls over the stream, and confusion matrices of parts of the stream."""

import json

import numpy as np

from driftlearn.bench.report._curves import runs
from driftlearn.bench.report._figures import frequent_classes
from driftlearn.bench.report._html import fill, safe
from driftlearn.bench.report._svg import SIDE, Axis, chart
from driftlearn.evaluate import metrics
from driftlearn.evaluate._gather import widened
from driftlearn.evaluate._repeat import AnyResult
from driftlearn.utils.arguments import Floats, Ints

MOST_CLASSES = 20  # maximum number of rows of a confusion matrix, so that it fits a screen
LEAST_BLOCKS, MOST_BLOCKS = 10, 60  # number of blocks into which the stream is divided
TINTS = 10
LINE = 22  # pixels per class in the map


class Counts:
    """Confusion matrices of the most frequent classes in parts of the stream.

    Parameters
    ----------
    result : Result or RepeatedResult
        The result; counts are summed over seeds.
    name : str
        The learner.
    most : int
        Maximum number of counts.
    """

    def __init__(self, result: AnyResult, name: str, most: int):
        n = len(result.classes)
        counts = np.zeros((len(result.rows(name)), n, n), dtype=int)
        for run in runs(result):
            part = widened(run.data[name]["confusion"], run.classes, result.classes)
            counts[: len(part)] += part
        # At least LEAST_BLOCKS blocks must fit, so fewer classes are shown if there are many.
        n_shown = int(np.clip((most / LEAST_BLOCKS) ** 0.5, 3, MOST_CLASSES))
        shown = frequent_classes(result, n_shown)
        self.labels = [str(result.classes[k]) for k in shown] + ["others"] * (len(shown) < n)
        # member[i, j] is 1 if class i is shown in row j
        member = np.zeros((n, len(self.labels)), dtype=int)
        member[:, -1] = len(shown) < n
        member[shown] = np.eye(len(shown), len(self.labels), dtype=int)
        n_blocks = int(np.clip(most // len(self.labels) ** 2, LEAST_BLOCKS, MOST_BLOCKS))
        size = -(-len(counts) // n_blocks)
        starts = np.arange(0, len(counts), size)
        blocks = np.add.reduceat(counts, starts, axis=0)
        self.blocks: Ints = np.einsum("bij,ik,jl->bkl", blocks, member, member)
        ends = result.rows(name)[np.minimum(starts + size, len(counts)) - 1]
        self.edges: Ints = np.concatenate([[0], ends])

    @property
    def recalls(self) -> Floats:
        """Recall of each class in each part; nan if the class does not occur."""
        right = np.diagonal(self.blocks, axis1=1, axis2=2)
        return metrics.ratio(right, self.blocks.sum(axis=2))


def recall_map(counts: Counts, name: str, axis: Axis) -> str:
    """Draw class recalls over the stream as a heat map."""
    found = counts.recalls.T
    x, tall = axis.x(counts.edges), SIDE / len(found)
    paths: dict[int, str] = {}
    for k, row in enumerate(found):
        top = round(k * tall)
        deep = round((k + 1) * tall) - top - round(0.06 * tall)
        for b in np.flatnonzero(~np.isnan(row)).tolist():
            wide, tint = int(x[b + 1] - x[b]), round(TINTS * float(row[b]))
            paths[tint] = paths.get(tint, "") + f"M{x[b]},{top}h{wide}v{deep}h-{wide}z"
    body = "".join(f'<path class="tint t{tint}" d="{d}"/>' for tint, d in sorted(paths.items()))
    body += f'<rect class="cursor" y="0" height="{SIDE}" width="0"/>'
    ticks = [(1 - (k + 0.5) / len(found), label) for k, label in enumerate(counts.labels)]
    means = metrics.mean(found)
    worst = int(np.argmin(np.where(np.isnan(means), np.inf, means)))
    alt = (
        f"Recall of {len(found)} classes by {name} over the stream; the lowest mean is "
        f"{means[worst]:.3f}, of {counts.labels[worst]}."
    )
    return chart(
        axis, body, title=f"Recall of every class by {name}: the darker, the higher",
        alt=alt, height=LINE * len(found) + 4, ticks=ticks,
        note="A gap means that the class did not occur among the tested rows.",
    )  # fmt: skip


def confusions(counts: Counts, name: str, stream: str, ident: str) -> str:
    """Return a confusion matrix with a slider that selects the part of the stream.

    Counts are shaded by their share of the true class.
    """
    matrix = counts.blocks.sum(axis=0)
    shades = np.round(10 * (matrix / np.maximum(matrix.sum(axis=1, keepdims=True), 1))).astype(int)
    head = ["true \\ predicted", *counts.labels]
    body = ""
    for label, row, tints in zip(counts.labels, matrix.tolist(), shades.tolist()):
        cells = "".join(f'<td class="t{tint}">{n:,}</td>' for n, tint in zip(row, tints))
        body += f'<tr><th scope="row">{safe(label)}</th>{cells}</tr>'
    titles = "".join(f'<th scope="col">{safe(title)}</th>' for title in head)
    caption = f"Confusion matrix of the learner {name} on the stream {stream}"
    table = fill("table", head=titles, body=body, caption=caption, kind="confusion")
    data = {
        "edges": counts.edges.tolist(),
        "counts": [block.ravel().tolist() for block in counts.blocks],
    }
    text = json.dumps(data, separators=(",", ":")).replace("<", "\\u003c")
    return fill("confusions", ident=ident, most=len(counts.blocks), table=table, data=text)


def scale() -> str:
    """Return the color scale."""
    boxes = "".join(f'<span class="t{k}" title="{k / TINTS:.1f}"></span>' for k in range(TINTS + 1))
    return f'<p class="scale" aria-hidden="true">0 {boxes} 1</p>'
