"""Colors, dashes, label positions and concepts, shared by SVG pages and matplotlib figures."""

from collections.abc import Sequence
from typing import NamedTuple
from zlib import crc32

import numpy as np
from scipy.optimize import isotonic_regression

from driftlearn.evaluate._repeat import AnyResult
from driftlearn.utils.arguments import Floats

#: Line colors on a white page and, hue by hue, on a dark page. Each has a contrast of at least 3:1
#: with its page, and readers with red-green color blindness can distinguish them. The last color,
#: gray, is used for baselines.
PALETTE = (
    "#1f5fd0", "#e0500f", "#0b5a46", "#a8325e", "#7d5600", "#0f95c9", "#5a1a8c", "#78808c",
)  # fmt: skip
DARK_PALETTE = (
    "#6e9bff", "#ff8a4c", "#178f68", "#e86fb0", "#e9d35a", "#63dcff", "#8d5fe0", "#b4bcc6",
)  # fmt: skip
INK, FAINT = "#444444", "#999999"
DASHES = ("solid", "dashed", "dotted", "dashdot")
GRAY = len(PALETTE) - 1
MOST_COLORS = len(PALETTE) - 1  # with more concepts, colors are interpolated between two ends
RAMP = 0, 4  # positions of these two colors in the palette
#: Positions in the palette of names that often appear together. All other names get a color from a
#: checksum of the name.
FAMILIAR = {
    "dtel": 0, "sea": 1, "learnppnse": 2, "awe": 3, "aue2": 4, "tix": 5, "refit": 6, "lastchunk": 6,
    "auto": 0, "arf": 1, "hoeffding": 2, "naivebayes": 3, "iboost": 5, "dwm": 4,
    "nochange": GRAY, "majority": GRAY,
    "predictions": 0, "own": 2, "global": 1, "borrowed": 4, "pool": 4, "nobody": GRAY, "none": GRAY,
    "before": GRAY, "recent": 0, "model": 0, "challenger": 1, "last28files": GRAY,
}  # fmt: skip


def color_and_dash(names: Sequence[str]) -> dict[str, tuple[int, int]]:
    """Return the positions in `PALETTE` and `DASHES` for each name.

    The color depends only on the name, so a learner has the same color on every page. Names with
    the same color get different dashes; when all dashes of a color are used, the next color is
    taken.

    Examples
    --------
    >>> color_and_dash(["SEA", "no-change", "majority"])
    {'SEA': (1, 0), 'no-change': (7, 0), 'majority': (7, 1)}
    """
    found: dict[str, tuple[int, int]] = {}
    plain = {
        name: "".join(c for c in name.lower().replace("+", "p") if c.isalnum()) for name in names
    }
    # Familiar names choose first, so that their colors do not depend on the other names on a page.
    for name in sorted(names, key=lambda name: plain[name] not in FAMILIAR):
        first = FAMILIAR.get(plain[name], crc32(plain[name].encode()) % GRAY)
        free = [
            ((first + shift) % len(PALETTE), dash)
            for shift in range(len(PALETTE))
            for dash in range(len(DASHES))
        ]
        taken = set(found.values())
        found[name] = next((place for place in free if place not in taken), free[0])
    return {name: found[name] for name in names}


def line_styles(names: Sequence[str]) -> dict[str, tuple[str, str]]:
    """Return the color and dash of each name on a white page, in matplotlib's format.

    Examples
    --------
    >>> line_styles(["dtel", "sea"])["sea"]
    ('#e0500f', 'solid')
    """
    return {name: (PALETTE[c], DASHES[dash]) for name, (c, dash) in color_and_dash(names).items()}


def moved_apart(positions: Sequence[float], gap: float) -> Floats:
    """Return positions moved minimally such that neighbors are at least `gap` apart.

    Examples
    --------
    >>> moved_apart([0.0, 0.1, 5.0], 1.0)
    array([-0.45,  0.55,  5.  ])
    """
    # Without the offsets, labels must only keep their order, which is isotonic regression.
    order = np.argsort(positions, kind="stable")
    offsets = gap * np.arange(len(order))
    placed = np.empty(len(order))
    placed[order] = isotonic_regression(np.asarray(positions)[order] - offsets).x + offsets
    return placed


def shortened(name: str, longest: int = 20) -> str:
    """Return a name truncated to at most `longest` characters.

    Examples
    --------
    >>> shortened("adaptive random forest", 12)
    'adaptive ra…'
    """
    return name if len(name) <= longest else name[: longest - 1] + "…"


class Span(NamedTuple):
    """Range of rows under one concept: first row, end row and concept."""

    begin: int
    end: int
    concept: int


class Concepts(NamedTuple):
    """Concepts of a stream in order of appearance, and the spans of rows that they cover."""

    names: list[str]
    spans: list[Span]

    def at(self, row: float) -> int | None:
        """Return the concept at a row, or None if the stream does not name concepts."""
        begun = [span.concept for span in self.spans if span.begin <= row]
        return begun[-1] if begun else None

    def css(self, concept: int | None) -> str:
        """Return the color of a concept as a CSS value."""
        if concept is None or len(self.names) <= MOST_COLORS:
            return f"var(--c{concept or 0})"
        share = round(100 * concept / (len(self.names) - 1))
        return f"color-mix(in oklab, var(--c{RAMP[1]}) {share}%, var(--c{RAMP[0]}))"

    def color(self, concept: int | None) -> str:
        """Return the color of a concept as a hexadecimal RGB value, for matplotlib."""
        if concept is None or len(self.names) <= MOST_COLORS:
            return PALETTE[concept or 0]
        share = concept / (len(self.names) - 1)
        low, high = (np.array([*bytes.fromhex(PALETTE[k][1:])]) for k in RAMP)
        return "#" + bytes(np.rint((1 - share) * low + share * high).astype(np.uint8)).hex()


def concepts(result: AnyResult) -> Concepts:
    """Return the concepts of a result; without named concepts, the spans between known drifts.

    If there is a known drift within the first chunk of a concept, the concept begins at the drift.
    """
    rows = max((result.rows(name) for name in result.names), key=len)
    drifts = sorted(drift for drift in result.drifts if 0 < drift < rows[-1])
    if len(result.concepts) == len(rows):
        ends = rows.tolist()
        labels = [f"{c:g}" if isinstance(c, float) else str(c) for c in result.concepts]
    elif drifts:
        ends = [*drifts, int(rows[-1])]
        labels = [str(k + 1) for k in range(len(ends))]
    else:
        return Concepts([], [])
    names = list(dict.fromkeys(labels))
    begins: list[int] = []
    found: list[int] = []
    for label, begin, end in zip(labels, [0, *ends], ends):
        concept = names.index(label)
        if not found:
            begins, found = [0], [concept]
        elif concept != found[-1]:
            begins.append(next((drift for drift in drifts if begin < drift < end), begin))
            found.append(concept)
    return Concepts(names, [*map(Span, begins, [*begins[1:], ends[-1]], found)])


def color_css() -> str:
    """Return the CSS of the line colors, for light and dark pages."""
    light, dark = (
        " ".join(f"--c{k}: {color};" for k, color in enumerate(palette))
        for palette in (PALETTE, DARK_PALETTE)
    )
    classes = " ".join(f".c{k} {{ --c: var(--c{k}); }}" for k in range(len(PALETTE)))
    return (
        f":root {{ {light} }}\n@media screen and (prefers-color-scheme: dark) {{ :root {{ {dark} "
        f"}} }}\n{classes}\n"
    )
