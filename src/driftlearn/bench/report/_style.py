"""What all pictures share: colours, curves, and the look of a matplotlib figure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar
from zlib import crc32

import numpy as np

from driftlearn.evaluate import metrics
from driftlearn.utils.atomic_files import atomic_write
from driftlearn.utils.optional import needed
from driftlearn.utils.safe_text import printable
from driftlearn.utils.typing import Floats

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Given = ParamSpec("Given")
Drawn = TypeVar("Drawn")

#: Lines on a white page and, hue by hue, on a dark one: 3:1 or more against it, and apart from each
#: other also for eyes without green. The last, grey, is that of the baselines.
PALETTE = (
    "#1f5fd0", "#e0500f", "#0b5a46", "#a8325e", "#7d5600", "#0f95c9", "#5a1a8c", "#78808c",
)  # fmt: skip
DARK_PALETTE = (
    "#6e9bff", "#ff8a4c", "#178f68", "#e86fb0", "#e9d35a", "#63dcff", "#8d5fe0", "#b4bcc6",
)  # fmt: skip
PAGE, DARK_PAGE = "#ffffff", "#15181d"
DASHES = ("solid", "dashed", "dotted", "dashdot")
GREY = len(PALETTE) - 1
#: The colours of learners that are often seen together; others have one by their name's digest.
FAMILIAR = {
    "dtel": 0, "sea": 1, "learnppnse": 2, "awe": 3, "aue2": 4, "tix": 5, "refit": 6, "lastchunk": 6,
    "auto": 0, "arf": 1, "hoeffding": 2, "naivebayes": 3, "iboost": 5, "dwm": 4,
    "nochange": GREY, "majority": GREY,
    "predictions": 0, "own": 2, "global": 1, "borrowed": 4, "nobody": GREY, "before": GREY, "lately": 0,
}  # fmt: skip
#: With about so many independent values several noisy lines can be told apart in one figure.
LEGIBLE = 60
INK = "#444444"
TITLED = ("png", "svg", "pdf")  # kinds of files that can hold a title
FAINT = "#999999"

STYLE: dict[Any, Any] = {
    "font.size": 10,
    "axes.titlesize": 11,
    "axes.titlelocation": "left",
    "axes.labelcolor": INK,
    "axes.edgecolor": FAINT,
    "axes.linewidth": 0.8,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.grid.axis": "y",
    "axes.axisbelow": True,
    "grid.color": "#e6e6e6",
    "grid.linewidth": 0.8,
    "xtick.color": INK,
    "ytick.color": INK,
    "xtick.major.size": 3,
    "ytick.major.size": 0,
    "lines.linewidth": 1.6,
    "lines.solid_capstyle": "round",
    "legend.frameon": False,
    "figure.constrained_layout.use": True,
    "savefig.dpi": 160,
    "svg.hashsalt": "driftlearn",
    "svg.fonttype": "none",  # text that can be searched, read aloud and edited
}


def words(text: object) -> str:
    r"""Return data as text of a figure: on one line, and a dollar begins no formula.

    Examples
    --------
    >>> print(words("$x_{"))
    \$x_{
    """
    return printable(text).replace("$", r"\$")


def places(names: Sequence[str]) -> dict[str, tuple[int, int]]:
    """Return for every learner the positions of its colour and of its dash.

    The colour hangs on the name alone, so that a learner has the same one on every page. Those of
    one colour differ by the dash; where there are more of them than dashes the next colour is
    taken.

    Examples
    --------
    >>> places(["SEA", "no-change", "majority"])
    {'SEA': (1, 0), 'no-change': (7, 0), 'majority': (7, 1)}
    """
    found: dict[str, tuple[int, int]] = {}
    taken = set()
    free = [(shift, dash) for shift in range(len(PALETTE)) for dash in range(len(DASHES))]
    plain_of = {
        name: "".join(c for c in name.lower().replace("+", "p") if c.isalnum()) for name in names
    }
    for name, plain in sorted(plain_of.items(), key=lambda pair: pair[1] not in FAMILIAR):
        first = FAMILIAR.get(plain, crc32(plain.encode()) % GREY)
        wanted = [((first + shift) % len(PALETTE), dash) for shift, dash in free]
        found[name] = next((place for place in wanted if place not in taken), wanted[0])
        taken.add(found[name])
    return {name: found[name] for name in names}


def looks(names: Sequence[str]) -> dict[str, tuple[str, str]]:
    """Return for every learner its colour and dash on white, as matplotlib wants them.

    Examples
    --------
    >>> looks(["dtel", "sea"])["sea"]
    ('#e0500f', 'solid')
    """
    return {name: (PALETTE[c], DASHES[dash]) for name, (c, dash) in places(names).items()}


def smoothed(values: Any, width: int) -> Floats:
    """Return the mean of each value and the ``width - 1`` before it along the last axis.

    It looks back only, so that no curve falls before the drift that makes it fall; nan is left out.

    Examples
    --------
    >>> smoothed([1.0, np.nan, 3.0, 5.0], 2)
    array([1., 1., 3., 4.])
    """
    values = np.asarray(values, dtype=float)
    pad = np.full((*values.shape[:-1], width - 1), np.nan)
    padded = np.concatenate([pad, values], axis=-1)
    return metrics.mean(np.lib.stride_tricks.sliding_window_view(padded, width, axis=-1))


def automatic_width(n_points: int) -> int:
    """Return over how many chunks to smooth so that `LEGIBLE` independent values remain."""
    return max(1, round(n_points / LEGIBLE))


def curve(values: Any, width: int = 1) -> tuple[Floats, Floats | None]:
    """Return the smoothed curve of one run, or of several its mean and standard deviation."""
    values = smoothed(values, width)
    if values.ndim == 1:
        return values, None
    return metrics.mean(values, axis=0), metrics.std(values, axis=0)


def spread(positions: Sequence[float], gap: float) -> Floats:
    """Move positions apart, as little as possible, until neighbours are `gap` from each other.

    Examples
    --------
    >>> spread([0.0, 0.1, 5.0], 1.0)
    array([-0.45,  0.55,  5.  ])
    """
    order = np.argsort(positions, kind="stable")
    blocks: list[list[float]] = []  # each: sum of (position - offset), count
    for k in order:
        blocks.append([float(positions[k]), 1])
        while len(blocks) > 1:
            (low, n), (high, m) = blocks[-2:]
            if low / n + gap * n <= high / m:
                break
            blocks[-2:] = [[low + high - m * n * gap, n + m]]
    placed = np.empty(len(order))
    placed[order] = [total / n + gap * i for total, n in blocks for i in range(int(n))]
    return placed


def new_figure(
    width: float, height: float, rows: int = 1, columns: int = 1, share: bool = True
) -> tuple[Any, Any]:
    """Return a figure and its array of axes, without pyplot and so without any global state.

    With no rows the figure is left empty, for the caller to divide.
    """
    figure = needed("matplotlib.figure").Figure(figsize=(width, height))
    if not rows:
        return figure, None
    return figure, figure.subplots(rows, columns, sharex=share, sharey=share, squeeze=False)


def mark_drifts(axes: Any, drifts: Sequence[float], text: bool = True) -> None:
    """Draw a vertical line at every drift, and say at the first what it is."""
    for drift in drifts:
        axes.axvline(drift, color=FAINT, linewidth=0.9, linestyle=(0, (2, 2)), zorder=1)
    if text and len(drifts):
        axes.annotate(
            "drift",
            (drifts[0], 1),
            xycoords=("data", "axes fraction"),
            xytext=(3, -1),
            textcoords="offset points",
            va="top",
            color=FAINT,
            fontsize=9,
        )


def saved(figure: Figure, path: str | Path | None) -> Figure:
    """Save a figure, at one stroke, where a path is given, and return it."""
    if path is not None:
        content = BytesIO()
        kind = Path(path).suffix.removeprefix(".") or figure.canvas.get_default_filetype()
        titles = [axes.get_title(loc) for axes in figure.axes for loc in ("center", "left")]
        known = {"Title": next(filter(None, titles), "driftlearn")}
        figure.savefig(content, format=kind, metadata=known if kind in TITLED else None)
        atomic_write(path, content.getvalue())
    return figure


def styled(draw: Callable[Given, Drawn]) -> Callable[Given, Drawn]:
    """Decorate a function that draws, so that it does so in the style of this module."""

    @wraps(draw)
    def in_style(*args: Given.args, **kwargs: Given.kwargs) -> Drawn:
        with needed("matplotlib").rc_context(STYLE):
            return draw(*args, **kwargs)

    return in_style
