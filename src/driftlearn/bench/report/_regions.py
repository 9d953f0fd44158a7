"""What learners say all over the plane of two features, while they learn."""

from __future__ import annotations

import json
from collections.abc import Iterable
from html import escape
from io import BytesIO
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from driftlearn.bench.report._style import PALETTE, new_figure, styled, words
from driftlearn.evaluate._run import Learners, named
from driftlearn.utils.atomic_files import atomic_write
from driftlearn.utils.optional import needed
from driftlearn.utils.typing import Floats, Ints, Labels

SIDE = 40  # points of the plane in each direction
MOST_SHOWN = 60  # rows that are drawn over a frame
MOST_PANELS = 6
DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"  # a class of the plane as one sign
FRAMES_A_SECOND = 5


class Frame(NamedTuple):
    """One moment: rows learned so far, the newest of them, what each learner says of the plane."""

    row: int
    X: Floats
    y: Labels
    labels: dict[str, Labels]


class Regions(NamedTuple):
    """The regions of learners in a plane, moment by moment.

    Attributes
    ----------
    classes : ndarray
        All labels, sorted.
    extent : tuple of float
        First and last value of the first feature, then of the second.
    frames : list of Frame
        The moments.
    """

    classes: Labels
    extent: tuple[float, float, float, float]
    frames: list[Frame]

    def codes(self, frame: Frame, name: str) -> Ints:
        """Return the plane of a learner as positions in `classes`, from the lowest row on."""
        return np.searchsorted(self.classes, frame.labels[name]).reshape(SIDE, SIDE)

    def gif(self, path: str | Path) -> Path:
        """Write the moments as an animation; see `draw_regions`."""
        return draw_regions(self, path)


def regions(
    learners: Learners, stream: Iterable[Any], chunk_size: int | None = None, most: int = 40
) -> Regions:
    """Teach copies of learners a stream of two features, and note what they say of the plane.

    Parameters
    ----------
    learners : estimator, or list or dict of estimators
        Anything with `partial_fit` and `predict`.
    stream : stream or iterable of (X, y)
        Its rows have two features. The plane is that of its first chunk.
    chunk_size : int, optional
        Rows a chunk; that of the stream.
    most : int
        The most moments. Of a longer stream every second is left out, then of these again.

    Returns
    -------
    Regions
        Something to give to `page`, or to write as a GIF.

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
    extent, plane, stride, row = (0.0, 1.0, 0.0, 1.0), np.zeros((0, 2)), 1, 0
    for number, batch in enumerate(chunks):
        X, y = np.asarray(batch[0], dtype=float), np.asarray(batch[1])
        if X.ndim != 2 or X.shape[1] != 2:
            raise ValueError(
                f"regions are drawn of rows with two features; these have {X.shape[-1]}"
            )
        if not number:
            low, high = X.min(axis=0), X.max(axis=0)
            room = 0.05 * (high - low)
            (a, c), (b, d) = low - room, high + room
            extent = (float(a), float(b), float(c), float(d))
            across, up = np.meshgrid(np.linspace(a, b, SIDE), np.linspace(c, d, SIDE))
            plane = np.column_stack([across.ravel(), up.ravel()])
        row += len(y)
        for learner in copies.values():
            learner.partial_fit(X.copy(), y.copy())
        if number % stride:
            continue
        labels = {name: np.asarray(learner.predict(plane)) for name, learner in copies.items()}
        frames.append(Frame(row, X[-MOST_SHOWN:], y[-MOST_SHOWN:], labels))
        if len(frames) > most:
            stride, frames = 2 * stride, frames[::2]
    if not frames:
        raise ValueError("the stream has no rows")
    every = [frame.y for frame in frames] + [each for f in frames for each in f.labels.values()]
    return Regions(np.unique(np.concatenate(every)), extent, frames)


def regions_html(found: Regions, ident: str) -> str:
    """Return the moments as pictures side by side, with a slider and a button that plays them."""
    names = list(found.frames[0].labels)
    data = {
        "side": SIDE,
        "rows": [frame.row for frame in found.frames],
        "planes": [
            ["".join(DIGITS[k % len(DIGITS)] for k in found.codes(frame, name).ravel().tolist())
             for frame in found.frames]
            for name in names
        ],
    }  # fmt: skip
    last = found.frames[-1]
    pictures = "".join(
        f'<figure><p class="title" title="{escape(name)}">{escape(name)}</p>'
        f'<canvas width="{SIDE}" height="{SIDE}" role="img" '
        f'aria-label="{escape(_told(found, name))}"></canvas></figure>'
        for name in names
    )
    legend = "".join(
        f'<li class="c{k % len(PALETTE)}"><i class="box"></i>class {escape(str(label))}</li>'
        for k, label in enumerate(found.classes.tolist())
    )
    text = json.dumps(data, separators=(",", ":"))
    n = len(found.frames)
    return (
        f'<div class="regions"><p class="choice"><button type="button">Play</button> '
        f'<label for="{ident}">After</label> <input type="range" id="{ident}" min="0" '
        f'max="{n - 1}" value="{n - 1}"> <output for="{ident}">{last.row:,} rows</output></p>'
        f'<div class="planes">{pictures}</div><ul class="legend">{legend}</ul>'
        "<p>What each learner says of every point of the plane: the first feature from left to "
        "right, the second upwards.</p>"
        f'<script type="application/json">{text}</script></div>'
    )


def _told(found: Regions, name: str) -> str:
    """Say how the plane is divided at the end."""
    codes = found.codes(found.frames[-1], name)
    shares = np.bincount(codes.ravel(), minlength=len(found.classes)) / codes.size
    parts = [f"{share:.0%} class {c}" for c, share in zip(found.classes.tolist(), shares) if share]
    return f"The plane as {name} divides it at the end: {', '.join(parts)}."


@styled
def draw_regions(found: Regions, path: str | Path) -> Path:
    """Write the moments as an animated GIF: a panel a learner, the newest rows as dots."""
    image = needed("PIL.Image", f"the animation {path}")
    colors = needed("matplotlib.colors").ListedColormap(
        [PALETTE[k % len(PALETTE)] for k in range(len(found.classes))]
    )
    names = list(found.frames[0].labels)[:MOST_PANELS]
    columns = min(len(names), 3)
    rows = -(-len(names) // columns)
    pictures = []
    for frame in found.frames:
        figure, panels = new_figure(2.4 * columns, 2.5 * rows + 0.3, rows, columns)
        for panel, name in zip(panels.flat, names):
            panel.imshow(
                found.codes(frame, name), origin="lower", extent=found.extent, aspect="auto",
                cmap=colors, vmin=-0.5, vmax=len(found.classes) - 0.5, alpha=0.45,
                interpolation="nearest",
            )  # fmt: skip
            codes = np.searchsorted(found.classes, frame.y)
            panel.scatter(
                *frame.X.T, c=codes, cmap=colors, vmin=-0.5, vmax=len(found.classes) - 0.5, s=9,
                edgecolors="white", linewidths=0.4,
            )  # fmt: skip
            panel.set(xlim=found.extent[:2], ylim=found.extent[2:], xticks=[], yticks=[])
            panel.set_title(words(name))
        for panel in panels.flat[len(names) :]:
            panel.set_visible(False)
        figure.suptitle(f"after {frame.row:,} rows", fontsize=10)
        content = BytesIO()
        figure.savefig(content, format="png", dpi=80)
        pictures.append(image.open(content).convert("P", palette=image.Palette.ADAPTIVE))
    content = BytesIO()
    pictures[0].save(
        content, format="GIF", save_all=True, append_images=pictures[1:], loop=0,
        duration=1000 // FRAMES_A_SECOND,
    )  # fmt: skip
    atomic_write(path, content.getvalue())
    return Path(path)
