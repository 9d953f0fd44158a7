"""Decision regions of learners on streams with two features, over time."""

import json
from collections.abc import Iterable
from io import BytesIO
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from driftlearn.bench.report._html import fill, safe
from driftlearn.bench.report._matplotlib import new_figure, plain_text, styled
from driftlearn.bench.report._style import PALETTE
from driftlearn.evaluate._run import Learners, named
from driftlearn.utils.arguments import Floats, Ints, Labels
from driftlearn.utils.atomic_files import atomic_write
from driftlearn.utils.optional import needed

SIDE = 40  # points per side of the grid
MOST_SHOWN = 60  # maximum number of rows drawn in a frame of the animation
MOST_PANELS = 6
# digits that encode the class of a grid point as one character
DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
FRAMES_PER_SECOND = 5


class Frame(NamedTuple):
    """Snapshot: number of training rows, newest rows, and predictions on the grid."""

    row: int
    X: Floats
    y: Labels
    labels: dict[str, Labels]


class Regions(NamedTuple):
    """Decision regions of learners in a sequence of snapshots.

    Attributes
    ----------
    classes : ndarray
        All labels, sorted.
    extent : tuple of float
        Minimum and maximum of the first feature, then of the second feature.
    frames : list of Frame
        The snapshots.
    """

    classes: Labels
    extent: tuple[float, float, float, float]
    frames: list[Frame]

    def codes(self, frame: Frame, name: str) -> Ints:
        """Return the predictions of a learner on the grid as positions in `classes`."""
        return np.searchsorted(self.classes, frame.labels[name]).reshape(SIDE, SIDE)

    @styled
    def gif(self, path: str | Path) -> Path:
        """Write an animated GIF with one panel per learner and the newest rows as dots."""
        image = needed("PIL.Image", f"the animation {path}")
        n = len(self.classes)
        palette = [PALETTE[k % len(PALETTE)] for k in range(n)]
        colors = {"cmap": needed("matplotlib.colors").ListedColormap(palette), "vmin": -0.5,
                  "vmax": n - 0.5}  # fmt: skip
        names = list(self.frames[0].labels)[:MOST_PANELS]
        columns = min(len(names), 3)
        size = 2.4 * columns, 2.5 * -(-len(names) // columns) + 0.3
        pictures = []
        for frame in self.frames:
            figure, panels = new_figure(*size, len(names), columns)
            for panel, name in zip(panels, names):
                panel.imshow(
                    self.codes(frame, name), origin="lower", extent=self.extent, aspect="auto",
                    alpha=0.45, interpolation="nearest", **colors,
                )  # fmt: skip
                panel.scatter(*frame.X.T, c=np.searchsorted(self.classes, frame.y), s=9,
                              edgecolors="white", linewidths=0.4, **colors)  # fmt: skip
                panel.set(xlim=self.extent[:2], ylim=self.extent[2:], xticks=[], yticks=[])
                panel.set_title(plain_text(name))
            figure.suptitle(f"after {frame.row:,} rows", fontsize=10)
            content = BytesIO()
            figure.savefig(content, format="png", dpi=80)
            pictures.append(image.open(content).convert("P", palette=image.Palette.ADAPTIVE))
        content = BytesIO()
        pictures[0].save(
            content, format="GIF", save_all=True, append_images=pictures[1:], loop=0,
            duration=1000 // FRAMES_PER_SECOND,
        )  # fmt: skip
        atomic_write(path, content.getvalue())
        return Path(path)


def regions(
    learners: Learners, stream: Iterable[Any], chunk_size: int | None = None, most: int = 40
) -> Regions:
    """Train copies of learners on a stream with two features and record their decision regions.

    Parameters
    ----------
    learners : estimator, or list or dict of estimators
        Estimators with `partial_fit` and `predict`.
    stream : stream or iterable of (X, y)
        Stream of rows with two features. The grid covers the range of the first chunk.
    chunk_size : int, optional
        Rows per chunk; by default the chunk size of the stream.
    most : int
        Maximum number of snapshots. When it is exceeded, every second snapshot is dropped.

    Returns
    -------
    Regions
        The regions, for use with `page` or `Regions.gif`.

    Examples
    --------
    >>> from driftlearn import SEAClassifier
    >>> from driftlearn.streams import SIN
    >>> found = regions({"sea": SEAClassifier()}, SIN(n_rows=1000, random_state=0), 200)
    >>> [frame.row for frame in found.frames], found.classes.tolist()
    ([200, 400, 600, 800, 1000], [0, 1])
    """
    copies = named(learners)
    chunks: Any = stream.chunks(chunk_size) if hasattr(stream, "chunks") else stream
    frames: list[Frame] = []
    extent, grid, stride, row = (0.0, 1.0, 0.0, 1.0), np.zeros((0, 2)), 1, 0
    for number, batch in enumerate(chunks):
        X, y = np.asarray(batch[0], dtype=float), np.asarray(batch[1])
        if X.ndim != 2 or X.shape[1] != 2:
            raise ValueError(
                f"decision regions need rows with two features. Got {X.shape[-1]} features."
            )
        if not number:
            margin = 0.05 * (X.max(axis=0) - X.min(axis=0))
            (a, c), (b, d) = X.min(axis=0) - margin, X.max(axis=0) + margin
            extent = (float(a), float(b), float(c), float(d))
            across, up = np.meshgrid(np.linspace(a, b, SIDE), np.linspace(c, d, SIDE))
            grid = np.column_stack([across.ravel(), up.ravel()])
        row += len(y)
        for learner in copies.values():
            learner.partial_fit(X.copy(), y.copy())
        if number % stride:
            continue
        labels = {name: np.asarray(learner.predict(grid)) for name, learner in copies.items()}
        frames.append(Frame(row, X[-MOST_SHOWN:], y[-MOST_SHOWN:], labels))
        if len(frames) > most:
            stride, frames = 2 * stride, frames[::2]
    if not frames:
        raise ValueError("decision regions need a stream with at least one chunk of rows")
    every = [frame.y for frame in frames] + [each for f in frames for each in f.labels.values()]
    return Regions(np.unique(np.concatenate(every)), extent, frames)


def regions_html(found: Regions, ident: str) -> str:
    """Return the snapshots as images side by side, with a slider and a play button."""
    names = list(found.frames[0].labels)
    planes = [
        ["".join(DIGITS[k % len(DIGITS)] for k in found.codes(frame, name).ravel())
         for frame in found.frames]
        for name in names
    ]  # fmt: skip
    data = {"side": SIDE, "rows": [frame.row for frame in found.frames], "planes": planes}
    pictures = "".join(
        fill("plane", name=name, side=SIDE, alt=_description(found, name)) for name in names
    )
    legend = "".join(
        f'<li class="c{k % len(PALETTE)}"><i class="box"></i>class {safe(label)}</li>'
        for k, label in enumerate(found.classes.tolist())
    )
    return fill(
        "regions", ident=ident, end=len(found.frames) - 1, row=found.frames[-1].row,
        pictures=pictures, legend=legend, data=json.dumps(data, separators=(",", ":")),
    )  # fmt: skip


def _description(found: Regions, name: str) -> str:
    """Return the class shares in the last snapshot, for screen readers."""
    codes = found.codes(found.frames[-1], name)
    shares = np.bincount(codes.ravel(), minlength=len(found.classes)) / codes.size
    parts = [f"{share:.0%} class {c}" for c, share in zip(found.classes.tolist(), shares) if share]
    return f"Decision regions of {name} at the end: {', '.join(parts)}."
